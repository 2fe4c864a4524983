import type { TracingConfig } from '../config/tracing-variables.ts';
import type { Logger } from './log.ts';
import { type Attributes, NO_SPAN, type OpenSpan, type Span, type SpanSpec, type Tracing } from './span.ts';

export type { OpenSpan } from './span.ts';

/*
 * Traces of the programs' work. Without a configuration, OpenTelemetry is not loaded and nothing is traced. Names and
 * attributes contain no personal data and no secrets: no addresses, wallets, query strings or messages.
 */

let tracing: Tracing | null = null;

/**
 * Runs work in a span. If the work returns a promise, the span ends when the promise settles. An error marks the span as
 * failed.
 */
export function runTraced<T>(spec: SpanSpec, work: (span: Span) => T): T {
  return tracing === null ? work(NO_SPAN) : tracing.run(spec, work);
}

/** Begins a span, which the caller ends later; null if nothing is traced. */
export function openSpan(spec: () => SpanSpec): OpenSpan | null {
  return tracing === null ? null : tracing.open(spec());
}

type Call = (...values: readonly unknown[]) => unknown;

/**
 * Gives each call to a store its own span, but only within another span. Returns the store unchanged if tracing has not
 * started.
 * @param name the prefix of each span's name; the path of the call follows
 */
export function traceStore<Store extends object>(store: Store, name: string, attributes: Attributes): Store {
  if (tracing === null) return store;
  const wrappedByKey = new Map<PropertyKey, unknown>();
  return new Proxy(store, {
    get(target, key) {
      const cachedValue = wrappedByKey.get(key);
      if (cachedValue !== undefined) return cachedValue;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof key === 'symbol' || value === null) return value;
      const path = `${name}.${key}`;
      let wrapped = value;
      if (typeof value === 'function') {
        const spec = { name: path, kind: 'client', attributes, isNested: true } as const;
        wrapped = (...values: readonly unknown[]) =>
          runTraced(spec, () => Reflect.apply(value as Call, target, values));
      } else if (typeof value === 'object') wrapped = traceStore(value, path, attributes);
      wrappedByKey.set(key, wrapped);
      return wrapped;
    },
  });
}

/**
 * Starts tracing this program, if tracing is configured. Call it before stores are opened.
 * @param service the program's name
 * @returns a function that stops tracing and sends the remaining spans, which takes at most a second
 */
export async function startTracing(
  config: TracingConfig | null,
  options: { readonly service: string; readonly version: string; readonly log: Logger },
): Promise<() => Promise<void>> {
  if (config === null) return async () => {};
  const { createTracing } = await import('./otlp-tracing.ts');
  const started = createTracing(config, options);
  tracing = started;
  return async () => {
    tracing = null;
    await started.stop();
  };
}
