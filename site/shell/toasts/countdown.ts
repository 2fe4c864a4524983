export interface Countdown {
  /** Stops the clock; what is left is kept. */
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Calls `onEnd` once `milliseconds` have passed, the pauses not counted. It runs from the start. */
export function startCountdown(milliseconds: number, onEnd: () => void): Countdown {
  let left = milliseconds;
  let startedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const pause = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - startedAt;
  };
  const resume = () => {
    if (timer !== undefined || isOver) return;
    startedAt = performance.now();
    timer = setTimeout(
      () => {
        isOver = true;
        onEnd();
      },
      Math.max(left, 0),
    );
  };
  resume();
  return {
    pause,
    resume,
    cancel: () => {
      pause();
      isOver = true;
    },
  };
}
