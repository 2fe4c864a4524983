import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * A program's structured log, one JSON object a line on stderr. Secrets and personal data are never handed to it; the
 * redaction below is the second lock, not the first.
 *
 * @param destination takes whole lines; stderr, written at once, unless given
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
