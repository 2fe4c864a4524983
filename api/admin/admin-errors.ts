import { COMMONEST_PASSWORD_WORDS, PASSWORD_TOO_SHORT } from '../../data/model/admin-rules.ts';
import { ApiError } from '../errors.ts';

/** No session of the team is sent, or it has ended. */
export class NotSignedInError extends ApiError {
  override readonly name = 'NotSignedInError';
  readonly status = 401;
  readonly code = 'not-signed-in';
  constructor() {
    super('You are not signed in, or your session has ended. Sign in and try again.', {
      'WWW-Authenticate': 'Bearer',
    });
  }
}

/** The role of who is signed in may not do that. */
export class NotAllowedError extends ApiError {
  override readonly name = 'NotAllowedError';
  readonly status = 403;
  readonly code = 'not-allowed';
  constructor() {
    super('Your role may not do that. An owner of the team can give you another role.');
  }
}

/** What was typed signs no one in. Which part of it is wrong is not told, nor whether there is such an account. */
export class SignInRefusedError extends ApiError {
  override readonly name = 'SignInRefusedError';
  readonly status = 401;
  readonly code = 'sign-in-refused';
  constructor() {
    super('The username, the password or the code is wrong. Check them and try again.');
  }
}

/** The password is right, and the second factor is still to be given. */
export class CodeNeededError extends ApiError {
  override readonly name = 'CodeNeededError';
  readonly status = 401;
  readonly code = 'code-needed';
  constructor() {
    super('Give the six digits that your authenticator app shows, or one of your recovery codes.');
  }
}

/** Too many attempts failed. The words are the same whether there is such an account or not. */
export class TooManyAttemptsError extends ApiError {
  override readonly name = 'TooManyAttemptsError';
  readonly status = 429;
  readonly code = 'too-many-attempts';
  constructor(retryAfterSeconds: number) {
    super(`Too many attempts failed. Try again in ${retryAfterSeconds} seconds.`, {
      'Retry-After': String(retryAfterSeconds),
    });
  }
}

/** As many passwords are being checked as the machine bears. */
export class PasswordsBusyError extends ApiError {
  override readonly name = 'PasswordsBusyError';
  readonly status = 503;
  readonly code = 'passwords-busy';
  constructor(options?: ErrorOptions) {
    super(
      'Too many people are signing in at the moment. Try again in a few seconds.',
      { 'Retry-After': '3' },
      options,
    );
  }
}

/** The password that somebody chose is too short. */
export class ShortPasswordError extends ApiError {
  override readonly name = 'ShortPasswordError';
  readonly status = 400;
  readonly code = 'weak-password';
  constructor() {
    super(PASSWORD_TOO_SHORT);
  }
}

/** The password that somebody chose is among those that are tried first. */
export class CommonPasswordError extends ApiError {
  override readonly name = 'CommonPasswordError';
  readonly status = 400;
  readonly code = 'weak-password';
  constructor() {
    super(COMMONEST_PASSWORD_WORDS);
  }
}

/** The first admin exists. */
export class SetupClosedError extends ApiError {
  override readonly name = 'SetupClosedError';
  readonly status = 409;
  readonly code = 'setup-closed';
  constructor() {
    super('An admin exists already, so set-up is closed. Sign in at /admin/login.');
  }
}

/** Whoever asks is on another machine and does not hold the one-time link. */
export class SetupLinkNeededError extends ApiError {
  override readonly name = 'SetupLinkNeededError';
  readonly status = 403;
  readonly code = 'setup-link-needed';
  constructor() {
    super(
      'The first admin is created on the server itself, or through the one-time link that the server printed when it last started.',
    );
  }
}

/** A secret of a second factor was kept under another key than the server has now. */
export class SecretsUnavailableError extends ApiError {
  override readonly name = 'SecretsUnavailableError';
  readonly status = 503;
  readonly code = 'secrets-unavailable';
  constructor(options?: ErrorOptions) {
    super(
      'Codes of an app cannot be checked, since the server has another key than the one that their secrets are kept under. Use a recovery code, and tell the operator to put DOCUMENT_KEY or the key file back.',
      {},
      options,
    );
  }
}

/** The proof that an admin gave once more, beside the session, is wrong. It ends no session: it may be a slip. */
export class WrongPasswordError extends ApiError {
  override readonly name = 'WrongPasswordError';
  readonly status = 403;
  readonly code = 'wrong-password';
  constructor() {
    super('The password or the code is wrong. Check it and try again.');
  }
}

/** There is no such open session, or it is not one that the caller may end. */
export class NoSuchSessionError extends ApiError {
  override readonly name = 'NoSuchSessionError';
  readonly status = 404;
  readonly code = 'no-such-session';
  constructor() {
    super('There is no such open session. It may have ended already.');
  }
}

/** The second factor is set up already, or is not yet. */
export class TotpStateError extends ApiError {
  override readonly name = 'TotpStateError';
  readonly status = 409;
  readonly code = 'totp-state';
  /** @param isNeeded whether the call needs one that is set up */
  constructor(isNeeded: boolean) {
    super(
      isNeeded
        ? 'No second factor is set up. Set one up first.'
        : 'A second factor is set up already, or the one that was offered was replaced. Look again, and begin anew.',
    );
  }
}

/** There is no such admin. */
export class NoSuchAdminError extends ApiError {
  override readonly name = 'NoSuchAdminError';
  readonly status = 404;
  readonly code = 'no-such-admin';
  constructor() {
    super('There is no such admin. Load the list again.');
  }
}

/** The portal would have no owner left who can sign in. */
export class LastOwnerError extends ApiError {
  override readonly name = 'LastOwnerError';
  readonly status = 409;
  readonly code = 'last-owner';
  constructor() {
    super('This is the last owner who can sign in. Make another admin an owner first.');
  }
}

/** Another admin has that username, or one that looks the same. */
export class UsernameTakenError extends ApiError {
  override readonly name = 'UsernameTakenError';
  readonly status = 409;
  readonly code = 'username-taken';
  constructor() {
    super('Another admin has this username. Choose another one.');
  }
}

/** One's own password is not reset: it is changed, with the one that holds. */
export class OwnPasswordError extends ApiError {
  override readonly name = 'OwnPasswordError';
  readonly status = 409;
  readonly code = 'own-password';
  constructor() {
    super('This is your own account. Change your password with the one that holds now.');
  }
}
