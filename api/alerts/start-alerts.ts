import type { AlertConfig } from '../../data/config/alert-variables.ts';
import type { Logger } from '../../data/runtime/log.ts';
import type { AppStore } from '../../data/store/ports.ts';
import type { AlertTeam } from '../delivery/team-alerts.ts';
import { ALERT_CONDITIONS, type AlertSources } from './alert-conditions.ts';
import { AlertMonitor, CHECK_INTERVAL_MS } from './alert-monitor.ts';
import { createFailedSignInCounter } from './failed-sign-ins.ts';

/** @returns a function that stops the checks and waits for one that is still running */
export function startAlerts(options: {
  readonly config: AlertConfig;
  readonly store: Pick<AppStore, 'alerts' | 'auditTrail' | 'deliveries' | 'webhooks'>;
  readonly sources: Omit<AlertSources, 'deliveries' | 'webhooks' | 'countFailedSignIns'>;
  readonly isLeading: () => boolean;
  readonly alertDirectly: AlertTeam | null;
  readonly log: Logger;
}): () => Promise<void> {
  const { config, store, isLeading, alertDirectly, log } = options;
  const sources = {
    ...options.sources,
    deliveries: store.deliveries,
    webhooks: store.webhooks,
    countFailedSignIns: createFailedSignInCounter(store),
  };
  const monitor = new AlertMonitor({
    store: store.alerts,
    codes: config.codes,
    check: (code, now) => ALERT_CONDITIONS[code](sources, now),
    recipients: [
      { channel: 'mail', recipient: config.email },
      { channel: 'telegram', recipient: config.chatId },
    ],
    isLeading,
    alertDirectly,
    now: Date.now,
    monotonicNow: () => performance.now(),
    log,
  });
  let currentCheck: Promise<void> | null = null;
  const timer = setInterval(() => {
    currentCheck ??= monitor.check().finally(() => {
      currentCheck = null;
    });
  }, CHECK_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await currentCheck;
  };
}
