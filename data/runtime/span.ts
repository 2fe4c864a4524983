export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanSpec {
  /** Must have few distinct values: for example, a route's template, not the requested path. */
  readonly name: string;
  /** `server`: a request that the program receives. `client`: a request that it sends, including to its store. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: Attributes;
  /** Whether the span is recorded only while another span is in progress. */
  readonly isNested?: boolean;
  /** Whether the span starts a new trace. Set it for queued work, which is not caused by the request that wakes the queue. */
  readonly isRoot?: boolean;
  /** The caller's request headers. If they identify a trace, the span continues that trace. */
  readonly caller?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface Span {
  set(attributes: Attributes): void;
  /** Marks the work as failed. @param type a code, not a message */
  fail(type: string): void;
}

export interface OpenSpan extends Span {
  /** Runs work as part of the span. Does not end the span. */
  run(work: () => void): void;
  end(): void;
}

export interface Tracing {
  run<T>(spec: SpanSpec, work: (span: Span) => T): T;
  open(spec: SpanSpec): OpenSpan;
  /** Sends the remaining spans. Takes at most a second. */
  stop(): Promise<void>;
}

export const NO_SPAN: Span = { set: () => {}, fail: () => {} };
