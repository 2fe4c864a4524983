import type { LiveChange, LiveHeartbeat } from '../../../data/contract/live.ts';

type Listener = (event: { readonly data: string }) => void;

export class FakeEventSource {
  static #newest: FakeEventSource | null = null;
  /** @throws {Error} if no connection was opened */
  static get newest(): FakeEventSource {
    if (!FakeEventSource.#newest) throw new Error('The page has not opened its stream.');
    return FakeEventSource.#newest;
  }

  readonly #listeners = new Map<string, Listener>();

  constructor() {
    FakeEventSource.#newest = this;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  close(): void {}

  send(type: 'change', message: LiveChange): void;
  send(type: 'fresh', message: LiveHeartbeat): void;
  send(type: string, message: unknown): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(message) });
  }

  break(): void {
    this.#listeners.get('error')?.({ data: '' });
  }
}
