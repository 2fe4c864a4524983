/** How long (ms) a browser may take to begin reading what it was offered. */
const READ_WITHIN = 60_000;

/** Lets the visitor save a text under a file name. It is made in the page: nothing is asked of the server. */
export function offerDownload(
  fileName: string,
  text: string,
  mediaType: 'text/csv' | 'text/calendar' | 'text/plain',
): void {
  saveBlob(fileName, new Blob([text], { type: `${mediaType};charset=utf-8` }));
}

/** Lets the visitor save what the page holds under a file name. */
export function saveBlob(fileName: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), READ_WITHIN);
}
