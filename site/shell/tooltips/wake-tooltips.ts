const EVENTS = ['pointerover', 'focusin'] as const;

/** Loads the tooltips when a pointer or the focus first comes to something that has one (`data-tooltip`). */
export function startTooltips(): void {
  const wake = (event: Event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-tooltip]')) return;
    for (const type of EVENTS) document.removeEventListener(type, wake);
    void import('./tooltips.ts').then(({ followTooltips }) => followTooltips(event));
  };
  for (const type of EVENTS) document.addEventListener(type, wake);
}
