import { execFile } from 'node:child_process';

const { NOTIFY_SOCKET, WATCHDOG_PID, WATCHDOG_USEC } = process.env;

/** How many messages are sent per watchdog interval. systemd restarts a service that is silent for a whole interval. */
const PINGS_PER_WATCHDOG = 3;

/** Sends an sd_notify(3) message. Node has no Unix datagram sockets, so systemd's own program sends it. */
function send(state: string): void {
  execFile('systemd-notify', [state], (error) => {
    if (error) process.stderr.write(`systemd was not notified of ${state}: ${error.message}\n`);
  });
}

/**
 * Notifies systemd that this process is ready. Then, if the service has a watchdog, notifies systemd at intervals while the
 * event loop is not blocked. Does nothing if the process is not a service of `Type=notify`.
 */
export function notifyReady(): void {
  if (NOTIFY_SOCKET === undefined) return;
  send('READY=1');
  const watchdogMs = Number(WATCHDOG_USEC) / 1_000;
  if (!(watchdogMs > 0) || Number(WATCHDOG_PID) !== process.pid) return;
  setInterval(() => send('WATCHDOG=1'), watchdogMs / PINGS_PER_WATCHDOG).unref();
}

/** Asks systemd to allow this many milliseconds for startup, instead of `TimeoutStartSec`. */
export function notifyLongStart(milliseconds: number): void {
  if (NOTIFY_SOCKET !== undefined) send(`EXTEND_TIMEOUT_USEC=${milliseconds * 1_000}`);
}

export function notifyStopping(): void {
  if (NOTIFY_SOCKET !== undefined) send('STOPPING=1');
}
