import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

const REDACTED = [
  'authorization',
  'cookie',
  'password',
  'email',
  'apiKey',
  'token',
  'cardNumber',
  'cvv',
  'cvc',
];

/**
 * Creates a program's logger, which writes one JSON object per line. Callers must not log secrets or personal data; the
 * redaction is a second safeguard.
 * @param destination receives whole lines; by default stderr, written synchronously
 */
export function createLogger(
  program: string,
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      level,
      base: { program },
      redact: {
        paths: ['req.headers', ...REDACTED.map((name) => `*.${name}`)],
        censor: '[redacted]',
      },
    },
    destination,
  );
}
