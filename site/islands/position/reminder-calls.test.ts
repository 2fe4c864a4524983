import { afterEach, describe, expect, it, vi } from 'vitest';
import { subscribeBrowser } from './reminder-calls.ts';

const KEY = Buffer.from([4, 250, 251, 252]).toString('base64url');
const SUBSCRIPTION_JSON = { endpoint: 'https://push.example.com/1', keys: { p256dh: 'p', auth: 'a' } };

/** A fake browser. @param existingKey the key of its existing subscription; null if it has none */
function stubBrowser(existingKey: Uint8Array<ArrayBuffer> | null, permission = 'granted') {
  const unsubscribe = vi.fn(async () => true);
  const subscribe = vi.fn(async (_options: object) => ({ toJSON: () => SUBSCRIPTION_JSON }));
  const existingSubscription = existingKey && {
    options: { applicationServerKey: existingKey.buffer },
    unsubscribe,
  };
  const pushManager = { getSubscription: async () => existingSubscription, subscribe };
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ pushManager }) } });
  vi.stubGlobal('Notification', { requestPermission: async () => permission });
  return { unsubscribe, subscribe };
}
afterEach(() => vi.unstubAllGlobals());

describe('reminders in this browser', () => {
  it('reuse an existing subscription with the same key', async () => {
    const { unsubscribe, subscribe } = stubBrowser(new Uint8Array([4, 250, 251, 252]));
    expect(await subscribeBrowser(KEY)).toEqual({ channel: 'push', ...SUBSCRIPTION_JSON });
    expect(unsubscribe).not.toHaveBeenCalled();
    expect(subscribe).toHaveBeenCalledExactlyOnceWith({
      userVisibleOnly: true,
      applicationServerKey: new Uint8Array([4, 250, 251, 252]),
    });
  });

  it('replace an existing subscription that has another key', async () => {
    const { unsubscribe, subscribe } = stubBrowser(new Uint8Array([4, 1, 2, 3]));
    await subscribeBrowser(KEY);
    expect(unsubscribe).toHaveBeenCalledOnce();
    expect(subscribe).toHaveBeenCalledOnce();
  });

  it('require permission for notifications', async () => {
    const { subscribe } = stubBrowser(null, 'denied');
    await expect(subscribeBrowser(KEY)).rejects.toThrow();
    expect(subscribe).not.toHaveBeenCalled();
  });
});
