import { showToast } from '../toasts/show-toast.ts';

/** What `content/search-and-offline.yaml` says of a new version; put in the place of its name by the build. */
declare const UPDATE_WORDS: {
  readonly title: string;
  readonly text: string;
  readonly now: string;
  readonly later: string;
};

/**
 * Milliseconds from the idle page to a visitor's first worker, which then stores all it needs: the page's own figures
 * come first on the processor and on the line.
 */
const FIRST_WORKER_AFTER = 2_000;

/** Says that a new version has taken over; what is open stays as it is. */
function announceUpdate(): void {
  const { title, text, now, later } = UPDATE_WORDS;
  void showToast({
    title,
    text,
    seconds: null,
    actions: [
      { label: now, run: () => location.reload() },
      { label: later, run: () => undefined },
    ],
  });
}

/** Registers the service worker, which stores the text pages and the search for use without a connection. */
export async function registerWorker(): Promise<void> {
  const { serviceWorker } = navigator;
  // The first worker of a visitor is no new version.
  let hadWorker = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (hadWorker) announceUpdate();
    hadWorker = true;
  });
  if (!hadWorker) await new Promise((resolve) => setTimeout(resolve, FIRST_WORKER_AFTER));
  await serviceWorker.register('/sw.js', { updateViaCache: 'none' });
}
