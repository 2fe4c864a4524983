import { afterEach, describe, expect, it, vi } from 'vitest';
import { subscribeBrowser } from './reminder-calls.ts';

const KEY = Buffer.from([4, 250, 251, 252]).toString('base64url');
const JSON_OF = { endpoint: 'https://push.example.com/1', keys: { p256dh: 'p', auth: 'a' } };

/** A fake browser. @param earlier the key of its existing subscription; null if it has none */
function browser(earlier: Uint8Array<ArrayBuffer> | null, permission = 'granted') {
  const unsubscribe = vi.fn(async () => true);
  const subscribe = vi.fn(async (_options: object) => ({ toJSON: () => JSON_OF }));
  const found = earlier && { options: { applicationServerKey: earlier.buffer }, unsubscribe };
  const pushManager = { getSubscription: async () => found, subscribe };
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ pushManager }) } });
  vi.stubGlobal('Notification', { requestPermission: async () => permission });
  return { unsubscribe, subscribe };
}
afterEach(() => vi.unstubAllGlobals());

describe('reminders in this browser', () => {
  it('use a subscription that the browser has for another wallet', async () => {
    const { unsubscribe, subscribe } = browser(new Uint8Array([4, 250, 251, 252]));
    expect(await subscribeBrowser(KEY)).toEqual({ channel: 'push', ...JSON_OF });
    expect(unsubscribe).not.toHaveBeenCalled();
    expect(subscribe).toHaveBeenCalledExactlyOnceWith({
      userVisibleOnly: true,
      applicationServerKey: new Uint8Array([4, 250, 251, 252]),
    });
  });

  it('replace a subscription with another key', async () => {
    const { unsubscribe, subscribe } = browser(new Uint8Array([4, 1, 2, 3]));
    await subscribeBrowser(KEY);
    expect(unsubscribe).toHaveBeenCalledOnce();
    expect(subscribe).toHaveBeenCalledOnce();
  });

  it('need the permission to notify', async () => {
    const { subscribe } = browser(null, 'denied');
    await expect(subscribeBrowser(KEY)).rejects.toThrow();
    expect(subscribe).not.toHaveBeenCalled();
  });
});
