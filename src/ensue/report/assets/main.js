// The start: everything is drawn once, and again when what is looked at changes.
function lead() {
  const [first, last] = HAPPENED;
  const events = CLASSES.filter((one) => !one.derived).reduce((sum, one) => sum + one.events, 0);
  const told = TOLD.counts.reduce((sum, [, , count]) => sum + count, 0);
  const pieces = [`${plural(OCCURRENCES.length, 'occurrence')} in ${plural(events, 'event')}`, `${moment(first).split(',')[0]} to ${moment(last).split(',')[0]}`];
  if (told) pieces.splice(1, 0, plural(told, 'publication'));
  return pieces.join(' · ');
}

at('lead').textContent = lead();
if (DATA.notes.length) {
  at('notes').hidden = false;
  fill(at('notes'), DATA.notes.map((note) => make('li', {}, note)));
}
at('program').textContent = DATA.program;
drawSummary();
drawFilters();
startTimeline();
startMap();
on('chosen', drawChosen);
on('chosen', markChosen);
let waitingLists = 0;
on('range', () => {
  clearTimeout(waitingLists);
  waitingLists = setTimeout(() => { drawFound(); drawCorrected(); }, OCCURRENCES.length > 3000 ? 120 : 0);
});
document.addEventListener('keydown', (pressed) => {
  if (pressed.key !== 'Escape' || pressed.target.matches('input')) return;
  if (state.chosen !== null) choose(null);
  else if (state.cursor !== null) {
    state.cursor = null;
    tell('cursor');
  }
});
let wide = window.innerWidth;
window.addEventListener('resize', () => {
  if (window.innerWidth === wide) return; // a phone's bars come and go
  wide = window.innerWidth;
  soon(() => tell('range'));
});
drawChosen();
tell('range');
