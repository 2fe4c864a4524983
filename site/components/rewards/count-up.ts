import { COUNTER, counterText } from './counter.ts';

/** Counts the page's figures up once they are seen; at once, which is as they stand, for who asked for less motion. */
export function startCounters(): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const element of document.querySelectorAll<HTMLElement>('[data-count-to]')) {
    const target = element.dataset.countTo ?? '';
    new IntersectionObserver(([entry], observer) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      countUp(element, target);
    }).observe(element);
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
