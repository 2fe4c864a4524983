import { environmentManager } from '@tanstack/react-query';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';
import { queryClient } from '../../data/query-client.ts';
import { FakeEventSource } from './fake-event-source.ts';

/** A call that the page made. */
export interface AskedCall {
  readonly call: string;
  readonly payload: unknown;
}

type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'no-network';

export interface ServedPage {
  readonly place: HTMLElement;
  readonly asked: AskedCall[];
  /** Of each call, in the same order. */
  readonly sentHeaders: readonly Headers[];
  /** What a call answers from now on, by method and path: `'POST /api/virtual-card/create'`. */
  answer(call: string, body: unknown, status?: number, headers?: Record<string, string>): void;
  /** As of a server that cannot be reached. */
  losesNetwork(call: string): void;
  /** Its text, with single spaces. */
  text(): string;
  button(name: string): HTMLButtonElement;
  press(name: string): Promise<void>;
  type(id: string, text: string): Promise<void>;
  /** Passes time; even none lets the page hear what `after` did. */
  pass(seconds: number, after?: () => void): Promise<void>;
  /** Lets what is loaded on demand arrive, and be drawn. */
  arrive(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Shows an island with the test as the server and the clock. What no call was told to answer is a 502.
 * @param first what calls answer that the island makes as soon as it stands
 */
export async function openServedPage(
  island: ReactNode,
  first: Readonly<Record<string, unknown>> = {},
): Promise<ServedPage> {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('EventSource', FakeEventSource);
  // This process looks like a server, where nothing is polled.
  environmentManager.setIsServer(() => false);
  queryClient.clear();
  const asked: AskedCall[] = [];
  const sentHeaders: Headers[] = [];
  const answers = new Map<string, Answer>(
    Object.entries(first).map(([call, body]) => [call, { status: 200, body }]),
  );
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', body, headers }: RequestInit = {}) => {
    const call = `${method} ${address.split('?')[0]}`;
    asked.push({ call, payload: typeof body === 'string' ? JSON.parse(body) : null });
    sentHeaders.push(new Headers(headers));
    const answer = answers.get(call) ?? { status: 502, body: {} };
    if (answer === 'no-network') throw new TypeError('Failed to fetch');
    return Response.json(answer.body, { status: answer.status, headers: answer.headers ?? {} });
  });
  const place = document.createElement('div');
  document.body.append(place);
  const root = createRoot(place);
  await act(async () => root.render(island));

  const pass: ServedPage['pass'] = (seconds, after = () => {}) =>
    act(async () => {
      after();
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    });
  const arrive = async () => {
    await act(() => vi.dynamicImportSettled());
    await pass(0.1);
  };
  const button = (name: string) => {
    const found = [...place.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
    if (!found) throw new Error(`There is no button ${name} in: ${place.textContent}`);
    return found;
  };
  return {
    place,
    asked,
    sentHeaders,
    answer: (call, body, status = 200, headers = {}) => void answers.set(call, { status, body, headers }),
    losesNetwork: (call) => void answers.set(call, 'no-network'),
    text: () => place.textContent?.replaceAll(/\s+/g, ' ') ?? '',
    button,
    press: async (name) => {
      await pass(0, () => button(name).click());
      await arrive();
    },
    type: (id, text) =>
      pass(0, () => {
        const input = place.querySelector<HTMLInputElement>(`#${id}`);
        if (!input) throw new Error(`There is no field ${id}.`);
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }),
    pass,
    arrive,
    close: async () => {
      await act(async () => root.unmount());
      place.remove();
      vi.unstubAllGlobals();
      vi.useRealTimers();
    },
  };
}
