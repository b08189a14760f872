// What the script does with a page, once all of it is there.

STARTS.forEach((start) => start());
drawCharts();
reachScrollers();
followCase();
addEventListener("hashchange", followCase);
