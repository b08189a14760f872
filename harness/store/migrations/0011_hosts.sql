-- Where the ranks of a process were: their hosts, and what is known of each.

ALTER TABLE process ADD COLUMN hosts TEXT NOT NULL DEFAULT '{}' CONSTRAINT hosts_are_json CHECK (json_valid(hosts));
