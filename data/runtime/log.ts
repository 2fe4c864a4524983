import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * A program's structured log, one JSON object a line on stderr. Secrets and personal data are never handed to it; the
 * redaction below is the second lock, not the first.
 */
export function createLogger(program: string, level: string): Logger {
  return pino(
    {
      level,
      base: { program },
      redact: {
        paths: ['*.authorization', '*.cookie', '*.password', '*.email', '*.apiKey', '*.token', 'req.headers'],
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
