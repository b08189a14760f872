// What the script does with a page, once all of it is there.

workTables();
drawCharts();
reachScrollers();
followCase();
addEventListener("hashchange", followCase);
