import { z } from 'zod';
import { httpUrl } from './variable-types.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Which traces are sent, and where: set by environment variables that the OpenTelemetry specification defines. */
export interface TracingConfig {
  /** The full URL of an OTLP receiver. */
  readonly url: string;
  /** May contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Overrides `service.name` in `resource` and the program's default name; null if not set. */
  readonly serviceName: string | null;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: {
    readonly kind: 'always_on' | 'always_off' | 'traceidratio';
    /** The share of traces that are recorded, from 0 to 1. */
    readonly ratio: number;
    /** Whether the portal follows a trusted proxy's decision to record or drop a trace. */
    readonly isParentBased: boolean;
  };
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** Comma-separated `key=value` pairs with percent-encoded keys and values, as the OpenTelemetry specification defines them. */
const pairs = z.string().transform((text, context): Readonly<Record<string, string>> => {
  try {
    const parts = text.split(',').filter((part) => part.trim() !== '');
    return Object.fromEntries(
      parts.map((part) => {
        const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(part.trim()) ?? [];
        if (name.trim() === '') throw new RangeError('A pair has no name.');
        return [decodeURIComponent(name.trim()), decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    context.addIssue('is not a list of pairs. Write it as name=value,other=value, percent-encoded.');
    return z.NEVER;
  }
});

export const TRACING_VARIABLES = {
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z
    .enum(['none', 'otlp'], { error: 'is not supported. Set it to otlp or none.' })
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('http://host:4318').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl('http://host:4318/v1/traces').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', {
      error: 'is not supported. Remove it: the portal always sends http/protobuf.',
    })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs.optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `is not a sampler. Set it to one of ${SAMPLERS.join(', ')}.` })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'is not a share of all traces. Set it to a number from 0 to 1.')
    .transform(Number)
    .default(1),
};

/** Null if tracing is off: no endpoint and no exporter is set, the exporter is `none`, or the SDK is disabled. */
export function tracingConfig(values: z.infer<z.ZodObject<typeof TRACING_VARIABLES>>): TracingConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url } = values;
  const exporter = values.OTEL_TRACES_EXPORTER ?? ((endpoint ?? url) ? 'otlp' : 'none');
  // According to the specification, `OTEL_SDK_DISABLED` is case-insensitive, and any value other than `true` means false.
  if (exporter === 'none' || values.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const sampler = values.OTEL_TRACES_SAMPLER;
  return {
    url: url ?? `${(endpoint ?? DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/traces`,
    headers: values.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: values.OTEL_SERVICE_NAME ?? null,
    resource: values.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: {
      kind: sampler.replace('parentbased_', '') as TracingConfig['sampler']['kind'],
      ratio: values.OTEL_TRACES_SAMPLER_ARG,
      isParentBased: sampler.startsWith('parentbased_'),
    },
  };
}
