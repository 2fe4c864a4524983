import { saveBlob } from '../../islands/ui/download.ts';
import { showToast } from '../../shell/toasts/show-toast.ts';

/** Milliseconds. Ample, because the document is small. */
const TIMEOUT_MS = 60_000;

/**
 * Fetches the document when its link is clicked, so that the page can show whether the download succeeded. Without this
 * script, the browser follows the link to the API.
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

const FILE_NAME_PATTERN = /filename="([^"]+)"/;

/** Saves the document under the file name in the response, because the name in the page may be outdated. */
async function download(url: string, fallbackName: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { credentials: 'include', signal });
  if (!response.ok) throw new Error(`${response.status}`);
  const [, fileName] = FILE_NAME_PATTERN.exec(response.headers.get('Content-Disposition') ?? '') ?? [];
  saveBlob(fileName ?? fallbackName, await response.blob());
}
