import { environmentManager } from '@tanstack/react-query';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';
import { queryClient } from '../../data/query-client.ts';
import { FakeEventSource } from './fake-event-source.ts';

/** A call that the page made. */
interface RecordedCall {
  /** Method and path: `POST /api/virtual-card/create`. */
  readonly call: string;
  readonly payload: unknown;
}

type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | 'no-network';

export interface ServedPage {
  readonly place: HTMLElement;
  readonly asked: RecordedCall[];
  /** The headers of each call, in the same order. */
  readonly sentHeaders: readonly Headers[];
  /** Sets the answer of a call, by method and path. */
  answer(call: string, body: unknown, status?: number, headers?: Record<string, string>): void;
  /** Makes a call fail as if there were no network. */
  losesNetwork(call: string): void;
  /** Removes all answers. */
  forgetAnswers(): void;
  /** The text of the page, with single spaces. */
  text(): string;
  button(name: string): HTMLButtonElement;
  press(name: string): Promise<void>;
  type(id: string, text: string): Promise<void>;
  /** Runs `action`, then advances the time. */
  pass(seconds: number, action?: () => void): Promise<void>;
  /** Waits for dynamic imports and their render. */
  arrive(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Renders an island with the test as its server and clock. A call without an answer gets a 502.
 * @param first the initial answers, by method and path
 */
export async function openServedPage(
  island: ReactNode,
  first: Readonly<Record<string, unknown>> = {},
): Promise<ServedPage> {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00.000Z') });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('EventSource', FakeEventSource);
  // React Query does not poll on a server, which it assumes here.
  environmentManager.setIsServer(() => false);
  queryClient.clear();
  const asked: RecordedCall[] = [];
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

  const pass: ServedPage['pass'] = (seconds, action = () => {}) =>
    act(async () => {
      action();
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    });
  const arrive = async () => {
    await act(() => vi.dynamicImportSettled());
    await pass(0.1);
  };
  const button = (name: string) => {
    const found = [...place.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
    if (!found) throw new Error(`No button ${name} in: ${place.textContent}`);
    return found;
  };
  return {
    place,
    asked,
    sentHeaders,
    answer: (call, body, status = 200, headers = {}) => void answers.set(call, { status, body, headers }),
    losesNetwork: (call) => void answers.set(call, 'no-network'),
    forgetAnswers: () => answers.clear(),
    text: () => place.textContent?.replaceAll(/\s+/g, ' ') ?? '',
    button,
    press: async (name) => {
      await pass(0, () => button(name).click());
      await arrive();
    },
    type: (id, text) =>
      pass(0, () => {
        const input = place.querySelector<HTMLInputElement>(`#${id}`);
        if (!input) throw new Error(`No field ${id}.`);
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
