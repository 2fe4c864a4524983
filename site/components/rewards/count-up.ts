import { whenNear } from '../page/when-near.ts';

export const COUNTER = { steps: 60, milliseconds: 2_000 } as const;

/** The text at one step of a counter that runs from zero to `target`, with as many decimals as the target. */
export function counterText(target: string, step: number, steps: number): string {
  if (step >= steps) return target;
  const decimals = target.split('.')[1]?.length ?? 0;
  return ((Number(target) * Math.max(0, step)) / steps).toFixed(decimals);
}

/**
 * Counts figures up from zero when they come into view, unless the visitor prefers reduced motion. The page hides the
 * figures until `data-counting` is set.
 */
export function startCounters(): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const element of document.querySelectorAll<HTMLElement>('[data-count-to]')) {
    const target = element.dataset.countTo ?? '';
    element.textContent = counterText(target, 0, COUNTER.steps);
    element.dataset.counting = '';
    whenNear(element, 0, () => countUp(element, target));
  }
}

function countUp(element: HTMLElement, target: string): void {
  let step = 0;
  const timer = setInterval(() => {
    step += 1;
    element.textContent = counterText(target, step, COUNTER.steps);
    if (step >= COUNTER.steps) clearInterval(timer);
  }, COUNTER.milliseconds / COUNTER.steps);
}
