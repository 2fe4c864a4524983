// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startPdfDownload } from './pdf-download.ts';

const showToast = vi.hoisted(() => vi.fn(async () => {}));
vi.mock('../../shell/toasts/show-toast.ts', () => ({ showToast }));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('the PDF is saved under the name in the response, and its blob URL stays valid for slow browsers', async () => {
  const headers = { 'Content-Disposition': 'attachment; filename="newer.pdf"' };
  const fetchMock = vi.fn(async (_url: string, _request: RequestInit) => new Response('%PDF', { headers }));
  vi.stubGlobal('fetch', fetchMock);
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:document');
  const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  document.body.innerHTML = '<a data-pdf href="/api/pdf/loan-note" download="older.pdf">Download PDF</a>';
  startPdfDownload();
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(`${this.href} ${this.download}`);
  });
  document.querySelector('a')?.dispatchEvent(new MouseEvent('click', { cancelable: true }));
  await vi.waitFor(() => expect(showToast).toHaveBeenCalledOnce(), { timeout: 60_000 });
  expect(saved).toEqual(['blob:document newer.pdf']);
  expect(fetchMock.mock.calls[0]?.[1].signal).toBeInstanceOf(AbortSignal);
  expect(revoke).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(revoke).toHaveBeenCalledExactlyOnceWith('blob:document');
});
