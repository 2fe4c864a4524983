import { API_MEMORY_FLAGS } from '../../api/memory-flags.ts';
import { RATE_LIMITS } from '../../data/config/rate-limits.ts';
import { spawnApi } from '../../indexer/testing/processes.ts';

export const ORIGIN = 'https://portal.example.com';

/** Limits that are never reached, for runs that do not test rate limits. */
export const NO_RATE_LIMITS = Object.keys(RATE_LIMITS)
  .map((name) => `${name}=1000000`)
  .join();

/** Starts the API as `npm start` does, but with an SMTP server on this machine and without a bot. */
export function startAttackedPortal(
  env: Readonly<Record<string, string>>,
  smtpPort: number,
  args?: readonly string[],
) {
  const settings = {
    PUBLIC_ORIGIN: ORIGIN,
    // The attackers are behind a proxy on this machine.
    TRUSTED_PROXIES: '127.0.0.1',
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    MAIL_FROM: 'portal@example.com',
    TEAM_EMAIL: 'team@example.com',
    LOG_LEVEL: 'error',
    ...env,
  };
  const api = spawnApi(settings, { flags: API_MEMORY_FLAGS, ...(args && { args }) });
  const port = api.ready.then(({ details }) => Number(details.port));
  port.catch(() => {});
  return {
    ...api,
    /** Rejects if the process ends before it listens. */
    port,
    end(signal: NodeJS.Signals) {
      api.child.kill(signal);
      return api.ended;
    },
  };
}

export type AttackedPortal = ReturnType<typeof startAttackedPortal>;
