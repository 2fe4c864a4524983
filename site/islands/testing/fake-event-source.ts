import type { LiveChange, LiveFresh } from '../../../data/contract/live.ts';

type Listener = (event: { readonly data: string }) => void;

/** An EventSource that the test drives as the server. */
export class FakeEventSource {
  static opened: FakeEventSource[] = [];
  /** The connection opened last. @throws {Error} if there is none. */
  static get newest(): FakeEventSource {
    const newest = FakeEventSource.opened.at(-1);
    if (!newest) throw new Error('The page has not opened its stream.');
    return newest;
  }

  readonly #listeners = new Map<string, Listener>();

  constructor() {
    FakeEventSource.opened.push(this);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  close(): void {}

  send(type: 'change', message: LiveChange): void;
  send(type: 'fresh', message: LiveFresh): void;
  send(type: string, message: unknown): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(message) });
  }

  break(): void {
    this.#listeners.get('error')?.({ data: '' });
  }
}
