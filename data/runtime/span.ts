export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanSpec {
  /** With few values: the template of a route, not its path. */
  readonly name: string;
  /** `server`: a request that a program gets. `client`: one that it sends, also to its store. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: Attributes;
  /** Whether the span is recorded only as a part of another one that is in progress. */
  readonly isPart?: boolean;
  /** Whether the span begins a trace, because work that happened to wake it is not its cause. */
  readonly isRoot?: boolean;
  /** The headers of a caller whose trace goes on. */
  readonly caller?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Work that is in progress. */
export interface Span {
  set(attributes: Attributes): void;
  /** Marks the work as failed. @param type a code, not a message */
  fail(type: string): void;
}

export interface OpenSpan extends Span {
  /** Runs work as a part of the span. */
  run(work: () => void): void;
  end(): void;
}

export interface Tracing {
  run<T>(spec: SpanSpec, work: (span: Span) => T): T;
  open(spec: SpanSpec): OpenSpan;
  /** Sends what is left, for at most a second. */
  stop(): Promise<void>;
}

/** Work that is not recorded. */
export const NO_SPAN: Span = { set: () => {}, fail: () => {} };
