import { showToast } from '../../shell/toasts/show-toast.ts';

/**
 * Fetches the document for a click on its link, so that the page itself can say how it went. Without this script the link
 * leads to the call.
 */
export function startPdfDownload(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-pdf]');
  link?.addEventListener('click', (event) => {
    event.preventDefault();
    if (link.ariaBusy === 'true') return;
    link.ariaBusy = 'true';
    download(link.href, link.download)
      .then(
        () => showToast({ title: 'Download Started', kind: 'success' }),
        () =>
          showToast({
            title: 'Download Error',
            text: 'Unable to download the PDF. Please try again or contact support.',
            kind: 'failure',
            seconds: 10,
          }),
      )
      .finally(() => {
        link.ariaBusy = 'false';
      });
  });
}

const SAID_NAME = /filename="([^"]+)"/;

/** Saves the document under the name that the portal gives it: the page may be older than what it leads to. */
async function download(address: string, name: string): Promise<void> {
  const response = await fetch(address, { credentials: 'include' });
  if (!response.ok) throw new Error(`${response.status}`);
  const [, said] = SAID_NAME.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  const file = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = file;
  link.download = said ?? name;
  link.click();
  URL.revokeObjectURL(file);
}
