/** Runs a task once, as soon as an element is within `margin` pixels of the viewport. */
export function whenNear(element: Element, margin: number, task: () => void): void {
  const check: IntersectionObserverCallback = (entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    task();
  };
  new IntersectionObserver(check, { rootMargin: `${margin}px` }).observe(element);
}
