import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * A program's structured log, one JSON object per line. Callers never log secrets or personal data; the redaction is a
 * second safeguard.
 * @param destination gets whole lines; by default stderr, written synchronously
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
        paths: [
          '*.authorization',
          '*.cookie',
          '*.password',
          '*.email',
          '*.apiKey',
          '*.token',
          '*.cardNumber',
          '*.cvv',
          '*.cvc',
          'req.headers',
        ],
        censor: '[redacted]',
      },
    },
    destination,
  );
}
