import { saveBlob } from '../../islands/download/offer-download.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';

/** Milliseconds that the document may take to come: it is small. */
const WITHIN = 60_000;

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
  const signal = AbortSignal.timeout(WITHIN);
  const response = await fetch(address, { credentials: 'include', signal });
  if (!response.ok) throw new Error(`${response.status}`);
  const [, said] = SAID_NAME.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  saveBlob(said ?? name, await response.blob());
}
