import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../config/tracing-variables.ts';
import type { Logger } from './log.ts';
import { NO_SPAN, type OpenSpan, type Span, type SpanSpec, type Tracing } from './span.ts';

/** The maximum number of spans that wait while the receiver is slow or down. Further spans are dropped. */
const MAX_QUEUED = 2_048;
const EXPORT_WITHIN_MS = 5_000;
/** How long (ms) the export of the last spans may delay a shutdown. */
const STOP_WITHIN_MS = 1_000;

const SPAN_KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

function samplerOf({ kind, ratio, isParentBased }: TracingConfig['sampler']): Sampler {
  const root =
    kind === 'always_on'
      ? new AlwaysOnSampler()
      : kind === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** Logs one message when the receiver stops accepting spans, and one when it accepts them again. */
function withFailureReports(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        // The error's message may contain the URL, and the URL may contain a key.
        const code = result.error && 'code' in result.error ? result.error.code : null;
        if (hasFailed && !isFailing)
          log.warn({ code }, 'traces cannot be sent; they are dropped until the receiver accepts them again');
        if (!hasFailed && isFailing) log.info('traces are sent again');
        isFailing = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

export function createTracing(
  config: TracingConfig,
  { service, version, log }: { readonly service: string; readonly version: string; readonly log: Logger },
): Tracing {
  const exporter = new OTLPTraceExporter({
    url: config.url,
    headers: { ...config.headers },
    timeoutMillis: EXPORT_WITHIN_MS,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.version': version,
        ...config.resource,
        'service.name': config.serviceName ?? config.resource['service.name'] ?? service,
      }),
    ),
    sampler: samplerOf(config.sampler),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withFailureReports(exporter, log),
        maxQueueSize: MAX_QUEUED,
        exportTimeoutMillis: EXPORT_WITHIN_MS,
      }),
    ],
  });
  const tracer = provider.getTracer(service, version);
  const propagator = new W3CTraceContextPropagator();
  const contexts = new AsyncLocalStorageContextManager().enable();

  const spanOf = (span: OtelSpan): Span => ({
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
  });
  /**
   * The context of the work in progress. If its recorded span has ended, this is the root context, so that a new span starts
   * a new trace: a timer or a queue may keep a context for longer than the span lasts.
   */
  function currentContext(): Context {
    const context = contexts.active();
    const span = trace.getSpan(context);
    if (span === undefined || span.isRecording()) return context;
    const isUnsampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0;
    return isUnsampled ? context : ROOT_CONTEXT;
  }

  function begin({ name, kind, attributes = {}, caller, isRoot = false }: SpanSpec) {
    const parent = caller
      ? propagator.extract(ROOT_CONTEXT, caller, defaultTextMapGetter)
      : isRoot
        ? ROOT_CONTEXT
        : currentContext();
    const options = { attributes, kind: kind ? SPAN_KINDS[kind] : SpanKind.INTERNAL };
    const span = tracer.startSpan(name, options, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  function run<T>(spec: SpanSpec, work: (span: Span) => T): T {
    if (spec.isNested && trace.getSpan(currentContext()) === undefined) return work(NO_SPAN);
    const { span, context } = begin(spec);
    const wrappedSpan = spanOf(span);
    const endWithError = (error: unknown): never => {
      // Error messages may contain personal data.
      wrappedSpan.fail(error instanceof Error ? error.name : typeof error);
      span.end();
      throw error;
    };
    let result: T;
    try {
      result = contexts.with(context, () => work(wrappedSpan));
    } catch (error) {
      return endWithError(error);
    }
    if (result instanceof Promise) {
      return result.then((value) => {
        span.end();
        return value;
      }, endWithError) as T;
    }
    span.end();
    return result;
  }

  return {
    run,
    open(spec): OpenSpan {
      const { span, context } = begin(spec);
      return { ...spanOf(span), run: (work) => contexts.with(context, work), end: () => span.end() };
    },
    async stop() {
      contexts.disable();
      const shutdownDone = provider.shutdown().catch(() => {});
      await Promise.race([shutdownDone, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}
