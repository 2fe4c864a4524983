/** How far from the window the form is when its script is loaded. */
const NEAR = '300px';

/** Loads what sends the form once it comes near; where that fails, again when somebody goes into the form. */
export function wakeContactForm(): void {
  const form = document.querySelector<HTMLFormElement>('[data-contact-form]');
  if (!form) return;
  const load = () => {
    import('./contact-form.ts').then(
      ({ startContactForm }) => startContactForm(form),
      () => form.addEventListener('focusin', load, { once: true }),
    );
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      load();
    },
    { rootMargin: NEAR },
  );
  watcher.observe(form);
}
