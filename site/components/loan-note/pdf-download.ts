/**
 * Fetches the document for a click on its link, so that the page itself can say how it went. Without this script the link
 * leads to the call.
 */
export function startPdfDownload(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-pdf]');
  const said = document.querySelector<HTMLElement>('[data-pdf-said]');
  if (!link || !said) return;
  link.addEventListener('click', (event) => {
    event.preventDefault();
    if (link.ariaBusy === 'true') return;
    link.ariaBusy = 'true';
    said.textContent = '';
    delete said.dataset.failed;
    download(link.href, link.download)
      .then(
        () => said.append('Download Started'),
        () => {
          said.dataset.failed = '';
          said.append('Download Error: Unable to download the PDF. Please try again or contact support.');
        },
      )
      .finally(() => {
        link.ariaBusy = 'false';
      });
  });
}

async function download(address: string, name: string): Promise<void> {
  const response = await fetch(address, { credentials: 'include' });
  if (!response.ok) throw new Error(`${response.status}`);
  const file = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = file;
  link.download = name;
  link.click();
  URL.revokeObjectURL(file);
}
