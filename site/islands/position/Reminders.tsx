import { useStore } from '@nanostores/react';
import { type SubmitEvent, useState } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { PORTAL_LIMITS } from '../../../data/model/portal-terms.ts';
import { callError } from '../../data/call-error.ts';
import { connect, forgetSession, prove } from '../wallet/wallet-actions.ts';
import { $session, $wallet } from '../wallet/wallet-stores.ts';
import styles from './position.module.css';
import {
  deleteReminder,
  failureText,
  postReminder,
  type ReminderList,
  readReminders,
  subscribeBrowser,
} from './reminder-calls.ts';

type Reminder = ReminderList['reminders'][number];

const CHANNEL_LABELS: Readonly<Record<Reminder['channel'], string>> = {
  mail: 'Email',
  telegram: 'Telegram',
  push: 'Browser',
};

export default function Reminders({ ownerAddress }: { readonly ownerAddress: string }) {
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  const session = useStore($session, { ssr: 'initial' });
  const [list, setList] = useState<ReminderList | null>(null);
  const [chatUrl, setChatUrl] = useState<string | null>(null);
  const [email, setEmail] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const [notice, setNotice] = useState('');
  const [isBusy, setBusy] = useState(false);
  const run = async (action: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    setNotice('');
    try {
      await action();
    } catch (error) {
      if (callError(error) === 'not-proven') forgetSession();
      setFailure(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  const open = () =>
    run(async () => {
      if ($wallet.get().walletAddress === null) await connect();
      const connectedAddress = $wallet.get().walletAddress;
      if (connectedAddress === null) return;
      if (connectedAddress !== ownerAddress)
        throw new Error(`Connect wallet ${shorten(ownerAddress)} to set up its reminders.`);
      await prove();
      setList(await readReminders());
    });
  /** @param knownNotice shown instead of `doneNotice` if the reminder already exists and needs no confirmation */
  const add = (
    createPayload: () => Promise<Parameters<typeof postReminder>[0]>,
    doneNotice: string,
    knownNotice = doneNotice,
  ) =>
    run(async () => {
      const earlierIds = list?.reminders.map(({ id }) => id) ?? [];
      const { chatUrl: url, ...updatedList } = await postReminder(await createPayload());
      setList(updatedList);
      setChatUrl(url);
      const awaitsConfirmation = updatedList.reminders.some(
        ({ id, state }) => state === 'unconfirmed' && !earlierIds.includes(id),
      );
      setNotice(awaitsConfirmation ? doneNotice : knownNotice);
    });
  const addMail = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void add(
      async () => ({ channel: 'mail', email }),
      `We sent an email to ${email}. To start the reminders, open the link in it within ${PORTAL_LIMITS.reminderLinkHours} hours.`,
      'This address already gets reminders about this wallet.',
    );
  };
  const isOwnList =
    list?.walletAddress === ownerAddress &&
    walletAddress === ownerAddress &&
    session?.walletAddress === ownerAddress;
  return (
    <section
      className={styles.part}
      aria-labelledby="position-reminders"
      data-reminders={isOwnList ? 'open' : 'closed'}
    >
      <h2 id="position-reminders" className={styles.head}>
        Reminders
      </h2>
      <p className={styles.intro}>
        We can remind you 7 days and 1 day before a lock ends, and notify you when this wallet stakes or
        withdraws.
      </p>
      {isOwnList ? (
        <>
          {list.reminders.length === 0 ? null : (
            <ul className={styles.reminders}>
              {list.reminders.map((reminder) => (
                <li key={reminder.id} data-channel={reminder.channel} data-state={reminder.state}>
                  <span>
                    {CHANNEL_LABELS[reminder.channel]}
                    {reminder.target === null ? null : (
                      <span className={styles.quiet}> {reminder.target}</span>
                    )}
                  </span>
                  <span className={styles.quiet}>{reminder.state === 'on' ? 'On' : 'Not confirmed yet'}</span>
                  <button
                    type="button"
                    className="button"
                    aria-disabled={isBusy}
                    aria-label={`Stop: ${CHANNEL_LABELS[reminder.channel]} ${reminder.target ?? ''}`.trimEnd()}
                    onClick={() => void run(async () => setList(await deleteReminder({ id: reminder.id })))}
                  >
                    Stop
                  </button>
                </li>
              ))}
            </ul>
          )}
          <form className={styles.emailForm} onSubmit={addMail}>
            <label htmlFor="reminder-email">Email address</label>
            <input
              className={styles.input}
              id="reminder-email"
              type="email"
              value={email}
              maxLength={254}
              autoComplete="email"
              required
              onChange={({ target }) => setEmail(target.value)}
            />
            <button type="submit" className="button gold" aria-disabled={isBusy}>
              Remind Me by Email
            </button>
          </form>
          <p className={styles.actions}>
            {list.hasBot ? (
              <button
                type="button"
                className="button"
                aria-disabled={isBusy}
                onClick={() => void add(async () => ({ channel: 'telegram' }), '')}
              >
                Remind Me on Telegram
              </button>
            ) : null}
            <button
              type="button"
              className="button"
              aria-disabled={isBusy}
              onClick={() =>
                void add(() => subscribeBrowser(list.pushKey), 'This browser now gets reminders.')
              }
            >
              Remind Me in This Browser
            </button>
          </p>
          {chatUrl === null ? null : (
            <p className={styles.actions}>
              <a className="button gold" href={chatUrl} target="_blank" rel="noreferrer">
                Open Telegram
              </a>
              <span className={styles.quiet}>
                Press Start in the chat. The link works once, for {PORTAL_LIMITS.chatLinkMinutes} minutes.
              </span>
            </p>
          )}
        </>
      ) : (
        <p className={styles.actions}>
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => void open()}>
            {isBusy ? 'Waiting for the wallet…' : 'Set Up Reminders'}
          </button>
          <span className={styles.quiet}>
            Your wallet signs a message. It costs nothing and moves no tokens.
          </span>
        </p>
      )}
      <p role="status">{notice}</p>
      {failure === null ? null : (
        <p className={styles.failure} role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}
