import { environmentManager } from '@tanstack/react-query';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';
import { queryClient } from '../../data/query-client.ts';
import { FakeEventSource } from './fake-event-source.ts';

interface RecordedRequest {
  /** Method and path, such as `POST /api/virtual-card/create`. */
  readonly call: string;
  readonly payload: unknown;
}

type TestResponse =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'no-network';

export type ServedPage = Awaited<ReturnType<typeof openServedPage>>;

/**
 * Types into a field. Uses the prototype's `value` setter, because React overrides the element's own setter and ignores
 * changes made through it.
 */
export function enterText(field: Element, text: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * Renders an island. The test sets the responses and the clock. A call for which the test has set no response gets a 502.
 * @param initialBodies the initial responses, by method and path
 */
export async function openServedPage(
  island: ReactNode,
  initialBodies: Readonly<Record<string, unknown>> = {},
) {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('EventSource', FakeEventSource);
  // Without this, React Query mistakes the test for a server and does not poll.
  environmentManager.setIsServer(() => false);
  queryClient.clear();
  const requests: RecordedRequest[] = [];
  const sentHeaders: Headers[] = [];
  const responses = new Map<string, TestResponse>(
    Object.entries(initialBodies).map(([call, body]) => [call, { status: 200, body }]),
  );
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', body, headers }: RequestInit = {}) => {
    const call = `${method} ${url.split('?')[0]}`;
    requests.push({ call, payload: typeof body === 'string' ? JSON.parse(body) : null });
    sentHeaders.push(new Headers(headers));
    const response = responses.get(call) ?? { status: 502, body: {} };
    if (response === 'no-network') throw new TypeError('Failed to fetch');
    return Response.json(response.body, { status: response.status, headers: response.headers ?? {} });
  });
  const root = document.createElement('div');
  document.body.append(root);
  const reactRoot = createRoot(root);
  await act(async () => reactRoot.render(island));

  let timeoutSpy: { mockRestore(): void } | null = null;
  const advance = (seconds: number, action = () => {}) =>
    act(async () => {
      action();
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    });
  /** Waits until dynamic imports are loaded and rendered. */
  const settle = async () => {
    await act(() => vi.dynamicImportSettled());
    await advance(0.1);
  };
  const button = (name: string) => {
    const found = [...root.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
    if (!found) throw new Error(`No button ${name} in: ${root.textContent}`);
    return found;
  };
  return {
    root,
    requests,
    /** The headers of each request, in the order of `requests`. */
    sentHeaders,
    /** Sets the response to a call, by method and path. */
    respond: (call: string, body: unknown, status = 200, headers: Record<string, string> = {}) =>
      void responses.set(call, { status, body, headers }),
    failNetwork: (call: string) => void responses.set(call, 'no-network'),
    clearResponses: () => responses.clear(),
    /** From now on, no call gets a response. @returns a function that lets the newest call run into its time limit */
    stopResponding: () => {
      let endWait = () => {};
      timeoutSpy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
        const controller = new AbortController();
        endWait = () => controller.abort(new DOMException('', 'TimeoutError'));
        return controller.signal;
      });
      vi.stubGlobal(
        'fetch',
        (_url: string, { signal }: RequestInit) =>
          new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      );
      return () => advance(0, () => endWait());
    },
    text: () => root.textContent?.replaceAll(/\s+/g, ' ') ?? '',
    button,
    press: async (name: string) => {
      await advance(0, () => button(name).click());
      await settle();
    },
    type: (id: string, text: string) =>
      advance(0, () => {
        const input = root.querySelector(`#${id}`);
        if (!input) throw new Error(`No field ${id}.`);
        enterText(input, text);
      }),
    advance,
    settle,
    close: async () => {
      await act(async () => reactRoot.unmount());
      root.remove();
      timeoutSpy?.mockRestore();
      vi.unstubAllGlobals();
      vi.useRealTimers();
    },
  };
}
