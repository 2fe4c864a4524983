import { erasePerson } from '../../data/contract/admin-erasures.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { PersonalData } from '../../data/store/erasure-port.ts';
import type { AppStore } from '../../data/store/ports.ts';
import { adminRecord } from '../admin/admin-audit.ts';
import { adminRoute } from '../admin/admin-route.ts';
import type { AdmitAdmin } from '../admin/signed-in-admin.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { limitCalls } from '../security/rate-limit.ts';
import { proofText, sealSubject } from './erasure-proof.ts';
import { outboxMails, removeOutboxMails } from './outbox-mails.ts';

/** Previews and erasures of one address a minute. */
const ERASURES_PER_MINUTE = 10;

export interface BackupState {
  /** When the newest was made, Unix ms; null where there is none. */
  readonly newestAt: number | null;
  readonly keep: number;
  readonly isScheduled: boolean;
}

export interface ErasureOptions {
  readonly store: Pick<AppStore, 'erasures' | 'retention'>;
  readonly admit: AdmitAdmin;
  readonly now: () => number;
  /** Where mails lie that were written in place of being sent; null where there is no such folder. */
  readonly outboxFolder: string | null;
  /** Null where no backups are made. */
  readonly backups: () => BackupState | null;
  /** Called once a person's wallets may have left the store. */
  readonly onErased: () => void;
  readonly perMinute?: number | undefined;
}

const NO_BACKUPS: BackupState = { newestAt: null, keep: 1, isScheduled: false };

function backupWords({ newestAt, keep, isScheduled }: BackupState): string {
  if (newestAt === null) return 'There is no backup that holds the data.';
  const newest = `The newest backup, of ${new Date(newestAt).toISOString()}, and those before it may still hold the data.`;
  return isScheduled
    ? `${newest} The last of them is removed once ${keep} newer ones have been made.`
    : `${newest} No backups are made by themselves, so the operator has to remove them.`;
}

/** `POST /api/admin/erasures`: tells what is held of a person, or erases it and proves that. */
export function erasureRoute(options: ErasureOptions): ApiRoute {
  const { store, admit, now, outboxFolder } = options;

  const told = (
    found: PersonalData,
    outboxFiles: number,
  ): Omit<ResponseOf<typeof erasePerson>, 'preview' | 'proof'> => {
    const backups = options.backups() ?? NO_BACKUPS;
    const { newestAt, keep } = backups;
    return {
      success: true,
      records: [...found.records],
      counts: found.counts,
      outboxFiles,
      otherWallets: [...found.otherWallets],
      kept: found.kept,
      backups: {
        newestAt: newestAt === null ? null : new Date(newestAt).toISOString(),
        keep,
        words: backupWords(backups),
      },
    };
  };

  return adminRoute(
    erasePerson,
    admit,
    async (admin, request, response) => {
      const body = readBody(erasePerson.body, request.body);
      const subject = { email: body.email ?? null, walletAddress: body.walletAddress ?? null };
      const before = await store.erasures.find(subject);
      if (body.preview) {
        const files = await outboxMails(outboxFolder, before.deliveries);
        const answer: ResponseOf<typeof erasePerson> = {
          ...told(before, files.length),
          preview: true,
          proof: null,
        };
        response.json(answer);
        return;
      }
      // Before the rows that tell which they are: where this is cut off, erasing again takes up the rest.
      let files = await removeOutboxMails(outboxFolder, before.deliveries);
      const at = now();
      const seal = sealSubject(subject);
      const record = adminRecord(admin, { action: 'person.erased', at });
      const found = await store.erasures.erase(subject, at, ({ records, counts }) => ({
        ...record,
        details: { request: body.request, subject: seal.digest, records: records.length, ...counts },
      }));
      options.onErased();
      // What a worker wrote meanwhile.
      files += await removeOutboxMails(outboxFolder, found.deliveries);
      await store.retention.foldLog();
      const answer = told(found, files);
      const text = proofText({
        subject,
        seal,
        found,
        auditRecord: record.id,
        request: body.request,
        at,
        backupWords: answer.backups.words,
      });
      const erased: ResponseOf<typeof erasePerson> = {
        ...answer,
        preview: false,
        proof: { auditRecord: record.id, erasedAt: new Date(at).toISOString(), ...seal, text },
      };
      response.json(erased);
    },
    limitCalls(options.perMinute ?? ERASURES_PER_MINUTE, 'erasures'),
  );
}
