/** Runs a task once the page has loaded and has nothing better to do. */
export function whenIdle(task: () => void): void {
  // Safari has no idle callbacks.
  const wait = () => (window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 200)))(task);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}
