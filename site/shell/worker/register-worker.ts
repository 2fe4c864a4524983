import { showToast } from '../toasts/show-toast.ts';

/** What `content/search-and-offline.yaml` says of a new version; put in the place of its name by the build. */
declare const UPDATE_WORDS: {
  readonly title: string;
  readonly text: string;
  readonly now: string;
  readonly later: string;
};

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
  await serviceWorker.register('/sw.js', { updateViaCache: 'none' });
}
