// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startPdfDownload } from './pdf-download.ts';

const toasts: unknown[] = [];
vi.mock('../../shell/toasts/show-toast.ts', () => ({
  showToast: async (toast: unknown) => void toasts.push(toast),
}));

const revoked: string[] = [];
let saved: { readonly href: string; readonly name: string }[];

beforeEach(() => {
  vi.useFakeTimers();
  saved = [];
  URL.createObjectURL = () => 'blob:document';
  URL.revokeObjectURL = (address) => void revoked.push(address);
  document.body.innerHTML = '<a data-pdf href="/api/pdf/loan-note" download="older.pdf">Download PDF</a>';
  startPdfDownload();
  // The link that the script creates to save the file.
  HTMLAnchorElement.prototype.click = function () {
    saved.push({ href: this.href, name: this.download });
  };
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  toasts.length = 0;
  revoked.length = 0;
});

const press = () => document.querySelector('a')?.dispatchEvent(new MouseEvent('click', { cancelable: true }));

it('the PDF is saved under the name in the response, and its URL stays valid for slow browsers', async () => {
  vi.stubGlobal(
    'fetch',
    async () =>
      new Response('%PDF', { headers: { 'Content-Disposition': 'attachment; filename="newer.pdf"' } }),
  );
  press();
  await vi.waitFor(() => expect(toasts).toEqual([{ title: 'Download Started', kind: 'success' }]));
  expect(saved).toEqual([{ href: 'blob:document', name: 'newer.pdf' }]);
  expect(revoked).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(revoked).toEqual(['blob:document']);
});

it('a failed download shows a toast, even without a response', async () => {
  const requests: RequestInit[] = [];
  vi.stubGlobal('fetch', async (_address: string, request: RequestInit) => {
    requests.push(request);
    return new Response('', { status: 503 });
  });
  press();
  await vi.waitFor(() =>
    expect(toasts).toEqual([
      expect.objectContaining({
        title: 'Download Error',
        text: 'Unable to download the PDF. Please try again or contact support.',
      }),
    ]),
  );
  expect(saved).toEqual([]);
  expect(requests[0]?.signal).toBeInstanceOf(AbortSignal);
});
