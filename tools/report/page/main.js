// Draws everything once, in the order of the page.

drawHead();
drawLegend();
chooseTheme();
listen();
drawBounds();
startExposed();
startAdvice();
startCollectives();
drawGroups();
startRemarks();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
