import type { WalletPosition } from '../../../data/contract/position.ts';
import { type CalendarEvent, toICalendar } from '../../../data/model/calendar-event.ts';
import { formatFull, shorten } from '../../../data/model/format.ts';

type OpenStake = WalletPosition['stakes'][number];

/** The end of a stake's lock as an event. The same stake gives the same event, so that a second download replaces it. */
export function unlockEvent(stake: OpenStake, wallet: string): CalendarEvent {
  return {
    uid: `${stake.entry}@blackduck-portal`,
    at: Date.parse(stake.unlockDate),
    title: `BD stake unlocks: ${formatFull(stake.amount)} BD`,
    description: [
      `The stake of wallet ${shorten(wallet)} can be withdrawn from now on. Nothing happens by itself.`,
      'Staking again with the same wallet before this moment restarts the lock.',
    ].join('\n'),
    remindDaysBefore: 1,
  };
}

/** The calendar file of a stake's end, and the name to save it under. */
export function unlockCalendar(stake: OpenStake, wallet: string, writtenAt: number) {
  return {
    fileName: `bd-unlock-${stake.unlockDate.slice(0, 10)}.ics`,
    text: toICalendar(unlockEvent(stake, wallet), writtenAt),
  };
}
