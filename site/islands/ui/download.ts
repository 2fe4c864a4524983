/** Milliseconds after which the file's memory is freed. The browser has read the file by then. */
const REVOKE_DELAY_MS = 60_000;

export function downloadText(
  fileName: string,
  text: string,
  mediaType: 'text/csv' | 'text/calendar' | 'text/plain',
): void {
  saveBlob(fileName, new Blob([text], { type: `${mediaType};charset=utf-8` }));
}

export function saveBlob(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_DELAY_MS);
}
