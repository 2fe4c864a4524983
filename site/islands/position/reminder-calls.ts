import type { BodyOf, ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type { addReminder, reminders, removeReminder } from '../../../data/contract/reminders.ts';
import { errorText } from '../../data/call-error.ts';
import { post, RequestError, request } from '../../data/request.ts';

export type ReminderList = ResponseOf<typeof reminders>;
type AddedReminder = ResponseOf<typeof addReminder>;

export function failureText(error: unknown): string {
  const hasOwnText =
    error instanceof Error && !(error instanceof RequestError) && !(error instanceof TypeError);
  return hasOwnText ? error.message : errorText(error, 'Something went wrong on our side. Please try again.');
}

export const readReminders = async (): Promise<ReminderList> =>
  (await request('GET', PATHS.reminders)).json();

export const postReminder = async (payload: BodyOf<typeof addReminder>): Promise<AddedReminder> =>
  post(PATHS.addReminder, payload);

export const deleteReminder = async (payload: BodyOf<typeof removeReminder>): Promise<ReminderList> =>
  post(PATHS.removeReminder, payload);

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

/** @throws {Error} with a message to show to the holder */
export async function subscribeBrowser(pushKey: string): Promise<BodyOf<typeof addReminder>> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (!registration || !('pushManager' in registration)) {
    throw new Error(
      'This browser cannot show reminders. On an iPhone, add the portal to the home screen first.',
    );
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('The browser does not allow notifications from this page. Allow them in its settings.');
  }
  try {
    const applicationServerKey = bytesOf(pushKey);
    const existingSubscription = await registration.pushManager.getSubscription();
    // A subscription with the portal's key is kept, because reminders for another wallet may use it.
    const existingKey = new Uint8Array(existingSubscription?.options.applicationServerKey ?? []);
    if (String(existingKey) !== String(applicationServerKey)) await existingSubscription?.unsubscribe();
    const options = { userVisibleOnly: true, applicationServerKey };
    const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
    return {
      channel: 'push',
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    };
  } catch (cause) {
    throw new Error('The browser’s push service did not answer. Please try again.', { cause });
  }
}
