import type { RequestHandler } from 'express';
import { beginTotp, confirmTotp, disableTotp, renewRecoveryCodes } from '../../data/contract/admin-totp.ts';
import type { AdminCredentials } from '../../data/store/admin-port.ts';
import { readBody } from '../body.ts';
import type { ApiRoute } from '../known-calls.ts';
import { adminRecord } from './admin-audit.ts';
import type { AdminDesk } from './admin-desk.ts';
import { NotSignedInError, TotpStateError, WrongPasswordError } from './admin-errors.ts';
import { adminRoute } from './admin-route.ts';
import { provePassword, proveTyped } from './own-password.ts';
import { newRecoveryCodes, readRecoveryCode } from './recovery-codes.ts';
import type { SecondFactors } from './second-factor.ts';
import type { AdmitAdmin, SignedInAdmin } from './signed-in-admin.ts';

/** The calls by which an admin sets up, renews and takes away a second factor. */
export function totpRoutes(
  desk: AdminDesk,
  admit: AdmitAdmin,
  { factors, limit }: { readonly factors: SecondFactors; readonly limit: RequestHandler },
): readonly ApiRoute[] {
  const { store, now } = desk;

  const accountOf = async (admin: SignedInAdmin): Promise<AdminCredentials> => {
    const account = await store.byId(admin.id);
    if (!account) throw new NotSignedInError();
    return account;
  };
  const requireTotp = async (admin: SignedInAdmin, isSetUp: boolean): Promise<void> => {
    if ((await accountOf(admin)).hasTotp !== isSetUp) throw new TotpStateError(isSetUp);
  };
  const recordOf = (admin: SignedInAdmin, action: string) => adminRecord(admin, { action, at: now() });

  return [
    adminRoute(
      beginTotp,
      admit,
      async (admin, request, response) => {
        const { password } = readBody(beginTotp.body, request.body);
        await requireTotp(admin, false);
        await provePassword(admin, password, request, desk);
        const { sealedSecret, secret, otpauthUri } = factors.offer(admin);
        if (!(await store.offerTotp(admin.id, sealedSecret, recordOf(admin, 'admin.totp-offered')))) {
          throw new TotpStateError(false);
        }
        response.json({ secret, otpauthUri });
      },
      limit,
    ),
    adminRoute(
      confirmTotp,
      admit,
      async (admin, request, response) => {
        const { code } = readBody(confirmTotp.body, request.body);
        const account = await accountOf(admin);
        if (account.hasTotp || !account.totp) throw new TotpStateError(false);
        const { sealedSecret } = account.totp;
        const step = await proveTyped(admin, request, desk, async () => factors.stepOf(account, code));
        const codes = newRecoveryCodes();
        const confirmed = {
          sealedSecret,
          step,
          recoveryCodes: codes.map(readRecoveryCode),
          keepSession: admin.sessionId,
        };
        if (!(await store.confirmTotp(admin.id, confirmed, recordOf(admin, 'admin.totp-confirmed')))) {
          throw new TotpStateError(false);
        }
        response.json({ success: true, recoveryCodes: codes });
      },
      limit,
    ),
    adminRoute(
      disableTotp,
      admit,
      async (admin, request, response) => {
        const { password, code } = readBody(disableTotp.body, request.body);
        await requireTotp(admin, true);
        const using = await provePassword(admin, password, request, desk, (account) =>
          factors.check(account, code),
        );
        const record = recordOf(admin, 'admin.totp-removed');
        if (!using || !(await store.removeTotp(admin.id, using, record))) throw new WrongPasswordError();
        response.json({ success: true });
      },
      limit,
    ),
    adminRoute(
      renewRecoveryCodes,
      admit,
      async (admin, request, response) => {
        const { password, code } = readBody(renewRecoveryCodes.body, request.body);
        await requireTotp(admin, true);
        const using = await provePassword(admin, password, request, desk, async (account) => {
          const step = factors.stepOf(account, code);
          return step === null ? null : { kind: 'totp' as const, step };
        });
        const codes = newRecoveryCodes();
        const record = recordOf(admin, 'admin.recovery-codes-renewed');
        const isRenewed =
          using && (await store.renewRecoveryCodes(admin.id, using, codes.map(readRecoveryCode), record));
        if (!isRenewed) throw new WrongPasswordError();
        response.json({ success: true, recoveryCodes: codes });
      },
      limit,
    ),
  ];
}
