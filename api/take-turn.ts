const waiting: (() => void)[] = [];

function runNext(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(runNext);
}

/**
 * Runs work in a later turn of the event loop, of which each has room for one piece of all bodies that arrive, so that other
 * requests are answered in between.
 */
export function takeTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(runNext);
}
