import { PORTAL_LIMITS } from '../model/portal-terms.ts';
import { MAX_CARDS } from '../model/tiers.ts';
import * as PATHS from './paths.ts';
import { IDEMPOTENCY_HEADER } from './paths.ts';

/**
 * Every API error by its code: HTTP status, what happened, what to do about it, and response headers. Text in
 * braces is filled in by the code that throws the error. The OpenAPI document takes its error descriptions from here.
 */
type ErrorEntry = readonly [
  status: number,
  message: string,
  remedy: string,
  headers?: Readonly<Record<string, string>>,
];

const RETRY_SOON = { 'Retry-After': '2' } as const;
const RETRY_CHAIN = { 'Retry-After': '10' } as const;
const RETRY_UPLOAD = { 'Retry-After': '20' } as const;
const RETRY_STREAM = { 'Retry-After': '30' } as const;
const RETRY_STORE = { 'Retry-After': '60' } as const;
const RETRY_SPACE = { 'Retry-After': '3600' } as const;
const RETRY_AFTER = { 'Retry-After': '{seconds}' } as const;
const SAVE_AGAIN = 'Export it again as a PDF, JPEG, PNG or WebP and upload it.';
const CONTACT_SUPPORT = 'Contact support.';

export const ERRORS = {
  // HTTP requests in general.
  'malformed-request': [400, 'The request is malformed or incomplete.', 'Send it again.'],
  'malformed-target': [400, 'The request line has no path.', 'Write it as GET /path.'],
  'malformed-path': [
    400,
    'A percent sign in the path is not followed by two hexadecimal digits.',
    'Encode it as %25.',
  ],
  'missing-host': [400, 'The request has no Host header.', 'Send one.'],
  'headers-too-large': [431, 'The URL and the headers are too long.', 'Shorten them, or send fewer cookies.'],
  'request-timeout': [408, 'The request did not arrive in time.', 'Send it again.'],
  'metrics-token-needed': [
    401,
    'The metrics require the token.',
    'Send METRICS_TOKEN as a bearer token.',
    { 'WWW-Authenticate': 'Bearer' },
  ],
  'metrics-only': [404, 'This port serves the metrics only.', `GET ${PATHS.prometheus}.`],
  'unknown-call': [404, 'There is no API call at this path.', `GET ${PATHS.openApi} lists every call.`],
  'method-not-allowed': [
    405,
    'This path does not accept that method.',
    'Use {allowed}.',
    { Allow: '{allowed}' },
  ],
  'malformed-json': [400, 'The body is not valid JSON.', 'Send one JSON object or array in UTF-8.'],
  'unsupported-body': [415, 'The encoding of the body is not supported.', 'Send application/json in UTF-8.'],
  'body-too-large': [413, 'The body is larger than {limit} kB.', 'Send a smaller one.'],
  'invalid-body': [
    400,
    'A field of the body is missing or invalid.',
    'Correct the fields that the error names.',
  ],
  'invalid-query': [
    400,
    'A query parameter is missing or invalid.',
    'Correct the parameters that the error names.',
  ],
  'cross-origin': [
    403,
    'This request came from a page on another site.',
    'If that site is yours, set PUBLIC_ORIGIN to its origin.',
  ],
  'too-many-requests': [
    429,
    'Too many requests from this {scope}.',
    'Try again in {seconds} seconds.',
    RETRY_AFTER,
  ],
  internal: [
    500,
    'Something went wrong on our side.',
    'Try again. If it keeps happening, contact support with this number: {id}.',
  ],
  'store-full': [503, 'The portal is out of storage. Nothing was stored.', 'Try again later.', RETRY_STORE],
  'store-unreachable': [
    503,
    'The portal cannot reach its storage right now.',
    'Try again in a moment. If you sent a form, you can send it again: it is stored at most once.',
    RETRY_STORE,
  ],
  'store-lost': [
    503,
    'The portal cannot store anything right now. Nothing was stored.',
    'Try again later.',
    RETRY_STORE,
  ],

  // Figures and wallets.
  'not-indexed-yet': [503, 'This figure is not available yet.', 'Try again in a few seconds.', RETRY_SOON],
  'history-not-read-yet': [
    503,
    'The history is still being read from the chain.',
    'Try again in a few seconds.',
    RETRY_SOON,
  ],
  'index-unreadable': [
    503,
    'The indexed figures cannot be read right now.',
    'Try again in a few seconds.',
    RETRY_SOON,
  ],
  'chain-unreadable': [
    503,
    'The chain cannot be read right now.',
    'Try again in a few seconds.',
    RETRY_CHAIN,
  ],
  'too-many-streams': [
    429,
    'Too many live streams are open from this network.',
    'Close one, or poll the figures instead.',
    RETRY_STREAM,
  ],
  'too-many-admin-streams': [
    429,
    'You have too many live streams open.',
    'Close a tab of the admin area, or poll the lists instead.',
    RETRY_STREAM,
  ],
  'streams-full': [
    503,
    'All live streams are in use.',
    'Poll the figures for now, and reopen the stream later.',
    RETRY_STREAM,
  ],
  'proof-refused': [
    401,
    `The signature does not prove that this wallet is yours. The message is not the one requested, was already used, is older than ${PORTAL_LIMITS.signInMinutes} minutes, or was signed by another account.`,
    'Request a new message and sign it with this wallet.',
  ],
  'wallet-not-proven': [
    401,
    'You have not proven that this wallet is yours.',
    'Connect it and sign the message.',
  ],
  'fresh-proof-needed': [401, 'This requires a recent signature.', 'Sign again with this wallet.'],

  // Staking from the portal.
  'too-little-bd': [409, 'The wallet does not hold enough BD.', 'Enter a smaller amount.'],
  'too-little-sol': [
    409,
    'The wallet does not have enough SOL for the network fee and the account deposits.',
    'Send it some SOL, then try again.',
  ],
  'stake-refused': [409, 'The chain rejected the stake. Nothing was staked.', 'Try again later.'],
  'stake-locked': [
    409,
    'The stake is still locked. Nothing was withdrawn.',
    'Try again after its unlock date.',
  ],
  'no-such-stake': [
    409,
    'The wallet has no open stake at this address. It may have been withdrawn by an earlier transaction.',
    'Reload your position.',
  ],
  'unstake-refused': [409, 'The chain rejected the withdrawal. Nothing was withdrawn.', 'Try again later.'],
  'stake-too-old': [409, 'The transaction expired before it was sent. No BD was moved.', 'Start again.'],
  'not-a-stake-of-this-portal': [
    409,
    'The transaction is not a signed stake or withdrawal built by the portal. Nothing was sent.',
    'Start again from the portal.',
  ],
  'stake-not-surely-sent': [
    503,
    'The chain did not answer in time, so the transaction may or may not have been sent.',
    'Send the same signed transaction again: the chain executes it at most once.',
    RETRY_SOON,
  ],

  // Cards.
  'insufficient-staking': [403, 'The staked amount is too small for a card.', 'Stake more BD to qualify.'],
  'has-card': [409, 'This wallet already has a virtual card.', 'Open the existing card instead.'],
  'no-cards-left': [
    409,
    `All ${MAX_CARDS} virtual cards have been issued.`,
    'Try again later: a card becomes available when a holder closes one, or when one is closed because its stake is gone.',
  ],
  'card-busy': [409, 'Another request is changing this card.', 'Try again in a few seconds.', RETRY_SOON],
  'card-pending': [409, 'This card is still being created.', 'Send the request again to finish creating it.'],
  'card-closed': [409, 'This card is closed.', 'Create a new one.'],
  'stake-in-use': [409, 'This stake already counts for another card.', CONTACT_SUPPORT],
  'closed-by-team': [
    403,
    'This wallet’s last card was closed by the team, or was frozen by the team or the card issuer when it was closed.',
    'To get a new card, request manual verification.',
  ],
  'closed-recently': [
    409,
    `You closed this wallet’s card less than ${PORTAL_LIMITS.newCardHours} hours ago.`,
    'Try again later.',
  ],
  'no-notice-address': [
    409,
    'There is no email address for messages about this card.',
    'Prove that you own this wallet, then apply for a card with it.',
  ],
  'cardholder-incomplete': [
    400,
    'The card issuer requires different details about the cardholder.',
    'Reload the page, and fill in all fields.',
  ],
  'limits-above-tier': [
    403,
    'These limits are higher than the wallet’s tier allows.',
    'Enter lower limits, or stake more BD.',
  ],
  'frozen-by-issuer': [
    409,
    'The team or the card issuer froze this card, so you cannot unfreeze it.',
    CONTACT_SUPPORT,
  ],
  'no-such-card': [404, 'This wallet has no such card.', 'Reload the page.'],
  'issuer-refused': [502, 'The card issuer rejected the request.', CONTACT_SUPPORT],
  'issuer-unavailable': [502, 'The card issuer did not answer.', 'Try again in a few seconds.', RETRY_CHAIN],
  'card-not-yet-readable': [
    502,
    'Your card is ready, but its number cannot be shown right now.',
    'Try again in a minute.',
  ],
  'other-issuer': [502, 'This card came from an issuer that this portal no longer uses.', CONTACT_SUPPORT],
  'message-refused': [
    400,
    'The message is not a valid message from the card issuer.',
    'Sign it with the webhook secret.',
  ],
  'no-issuer-messages': [404, 'The card issuer of this portal sends no messages.', 'Remove the webhook.'],
  'no-inbound-mails': [404, 'No mail server forwards emails to this portal.', 'Set INBOUND_WEBHOOK_SECRET.'],
  'mail-not-signed': [
    401,
    'The signature of the email is missing, wrong or over five minutes old.',
    'Sign the time and the email with INBOUND_WEBHOOK_SECRET.',
  ],
  'mail-too-large': [413, 'The email is larger than {limit} kB.', 'Deliver it to a mailbox.'],
  'mail-unreadable': [422, 'The email cannot be read, or it has no sender.', 'Deliver it to a mailbox.'],
  'mails-of-sender': [
    429,
    'Too many emails came from this sender or about this record today.',
    'Try again in {seconds} seconds.',
    RETRY_AFTER,
  ],
  'mails-busy': [503, 'The portal is reading other emails.', 'Try again in a few seconds.', RETRY_CHAIN],

  // Forms and documents.
  'automated-form': [
    400,
    'A hidden field of this form was filled in, so it looks automated.',
    'Turn off autofill and send it again.',
  ],
  'invalid-idempotency-key': [
    400,
    `${IDEMPOTENCY_HEADER} is invalid.`,
    'Send 8 to 128 letters, digits, hyphens or underscores, such as a UUID.',
  ],
  'idempotency-key-reused': [
    422,
    `This ${IDEMPOTENCY_HEADER} was already used for a different body.`,
    'Send this body with a new key.',
  ],
  'unknown-submission': [
    404,
    'Nothing was found for this reference number and email address.',
    'Compare both with your confirmation email.',
  ],
  'not-multipart': [
    415,
    'A form with files must be sent as multipart/form-data.',
    'Change the content type and send it again.',
  ],
  'malformed-upload': [400, 'The form is incomplete or malformed.', 'Send it again.'],
  'upload-too-large': [413, 'The {part} is larger than {limit} MB.', 'Upload a smaller file.'],
  'uploads-full': [
    503,
    'Too many documents are being uploaded right now. Yours were not stored.',
    'Try again in a minute.',
    RETRY_UPLOAD,
  ],
  'too-many-uploads': [
    429,
    'Several forms with documents are already being sent from this network.',
    'Wait until they are done.',
    RETRY_UPLOAD,
  ],
  'document-quota': [
    429,
    'The documents sent from this {scope} today have reached the size limit. Yours were not stored.',
    'Try again after 00:00 UTC, or contact support.',
    RETRY_AFTER,
  ],
  'documents-full': [
    503,
    'The portal has received as many documents as it accepts in a day. Yours were not stored.',
    'Try again after 00:00 UTC.',
    RETRY_AFTER,
  ],
  'documents-paused': [
    503,
    'The portal is low on storage and is not accepting documents right now. Yours were not stored.',
    'Try again in an hour.',
    RETRY_SPACE,
  ],
  'unknown-confirmation': [
    404,
    'This confirmation link is not valid.',
    'Open the link in your confirmation email again.',
  ],
  'confirmation-expired': [
    410,
    `The email address was not confirmed within ${PORTAL_LIMITS.mailboxConfirmationHours} hours, so the documents of this application were deleted.`,
    'Apply again.',
  ],
  'upload-too-slow': [
    408,
    'The documents arrived too slowly, so the upload was stopped.',
    'Check your connection and send the form again.',
  ],
  'document-type': [422, 'The {document} is not a valid PDF, JPEG, PNG or WebP.', SAVE_AGAIN],
  'document-encrypted': [
    422,
    'The {document} is protected by a password.',
    'Save it without a password and upload it again.',
  ],
  'document-active': [
    422,
    'The {document} contains {content}, which we do not accept.',
    'Print it as a PDF, or take a picture of it, and upload that.',
  ],
  'document-damaged': [422, 'The {document} is damaged.', SAVE_AGAIN],
  'document-too-detailed': [
    422,
    'The {document} has more than 50 million pixels.',
    'Make the picture smaller and upload it again.',
  ],
  'document-not-built': [
    503,
    'The site is not built on this server, so there is no document to download.',
    'Start the portal with npm start.',
  ],
  'chat-not-built': [
    503,
    'The site is not built on this server, so the chat has nothing to answer from.',
    'Start the portal with npm start.',
  ],

  // The team.
  'not-signed-in': [
    401,
    'You are not signed in, or your session has ended.',
    'Sign in and try again.',
    { 'WWW-Authenticate': 'Bearer' },
  ],
  'not-allowed': [403, 'Your role does not allow this.', 'Ask an owner of the team to change your role.'],
  'sign-in-refused': [401, 'Incorrect username or password.', 'Check them, and the code if you use one.'],
  'code-needed': [
    401,
    'This account uses two-factor authentication.',
    'Enter the six digits from your authenticator app, or a recovery code.',
  ],
  'passkey-needed': [401, 'This account uses a passkey.', 'Confirm the sign-in with your passkey.'],
  'passkey-refused': [
    401,
    'This passkey was not accepted.',
    'Try again, or sign in with your username and password.',
  ],
  'passkey-invalid': [
    400,
    'The passkey could not be added: it is for another site or of an unsupported type, took too long, or did not verify who you are.',
    'Try again, or use another device.',
  ],
  'passkey-known': [409, 'This passkey is already registered.', 'Use another device or security key.'],
  'too-many-passkeys': [409, 'You already have {limit} passkeys.', 'Remove one first.'],
  'no-such-passkey': [404, 'There is no such passkey.', 'Reload the page.'],
  'too-many-attempts': [429, 'Too many failed attempts.', 'Try again in {seconds} seconds.', RETRY_AFTER],
  'passwords-busy': [
    503,
    'Too many people are signing in right now.',
    'Try again in a few seconds.',
    { 'Retry-After': '3' },
  ],
  'weak-password': [
    400,
    "This password is too easy to guess: it is common, repetitive, a sequence, or based on the username or the portal's name.",
    'Choose a stronger one, such as several words.',
  ],
  'setup-closed': [409, 'An admin already exists, so setup is closed.', 'Sign in at /admin/login.'],
  'setup-link-needed': [
    403,
    'Creating the first admin here requires the one-time link.',
    'Open the link that the server printed when it last started.',
  ],
  'admin-link-ended': [
    404,
    'This link is not valid: it was used, withdrawn or replaced, or it has expired.',
    'Ask an owner of the team for a new one.',
  ],
  'report-link-ended': [
    404,
    'This link is not valid: it has expired, or the weekly report has been turned on again since.',
    'Turn the weekly report on or off in your account.',
  ],
  'reminder-link-ended': [
    404,
    'This link is not valid: it has expired, or the reminders have ended.',
    'Set up the reminders on the position page again.',
  ],
  'too-many-reminders': [
    409,
    'There are too many reminders of this kind for the wallet or the address.',
    'Remove one, or try again tomorrow.',
  ],
  'push-endpoint': [
    400,
    'This browser’s push service cannot be used.',
    'Choose another browser, or get the reminders by email.',
  ],
  'no-bot': [409, 'The portal has no Telegram bot.', 'Get the reminders by email.'],
  'no-own-address': [
    409,
    'Your account has no email address.',
    'Ask an owner of the team for an account with your email address.',
  ],
  'no-such-link': [404, 'There is no such link.', 'Reload the list: the link may have been used.'],
  'username-needed': [400, 'The new account has no username.', 'Enter one.'],
  'secrets-unavailable': [
    503,
    'Authenticator codes cannot be checked: the server does not have the key that encrypted their secrets.',
    'Use a recovery code, and ask the operator to restore DOCUMENT_KEY or the key file.',
  ],
  'wrong-password': [403, 'Incorrect password or code.', 'Check it and try again.'],
  'no-such-session': [404, 'There is no such open session.', 'Reload the list: the session may have ended.'],
  'totp-state': [409, 'Two-factor authentication is already set up, or has changed.', 'Reload the page.'],
  'account-too-new': [
    403,
    'Your account is new, or its password was reset, so it cannot vote on loan applications or close cards yet.',
    'Ask a colleague, or try again once the waiting time is over.',
  ],
  'no-such-admin': [404, 'There is no such admin.', 'Reload the list.'],
  'last-owner': [409, 'This is the last owner who can sign in.', 'Make another admin an owner first.'],
  'webhook-url': [
    400,
    'Events cannot be sent to this URL.',
    'Enter a URL that starts with https:// and contains no username.',
  ],
  'too-many-webhooks': [409, 'There are already {limit} endpoints.', 'Remove one first.'],
  'no-such-webhook': [404, 'There is no such endpoint.', 'Reload the list.'],
  'webhook-not-active': [409, 'The endpoint is not receiving events.', 'Enable it first.'],
  'webhook-not-retryable': [
    409,
    'The event is being sent, or its endpoint is not receiving events.',
    'Wait a minute, or enable the endpoint.',
  ],
  'username-taken': [
    409,
    'Another admin has this username, or one that looks like it.',
    'Choose a different one.',
  ],
  'username-reserved': [
    400,
    'This username is reserved, or looks like a reserved one.',
    'Choose a different one.',
  ],
  'own-password': [
    409,
    'This is your own account.',
    'Change your password with your current password instead.',
  ],
  'unknown-record': [404, 'There is no such record.', 'Check the reference number.'],
  'record-changed': [
    409,
    'The record changed before your decision arrived, so the decision was not stored.',
    'Reload the record.',
  ],
  'conversation-changed': [
    409,
    'A newer message has arrived, so yours was not sent.',
    'Read it, then send yours again.',
  ],
  'file-missing': [
    409,
    'A file in your message was deleted, or you did not attach it to this record. Nothing was sent.',
    'Remove the files, attach them again, then send the message.',
  ],
  'too-many-files': [
    409,
    'You have attached too many files without sending them. This one was not stored.',
    'Remove some of them. Unsent files are deleted after a day.',
  ],
  'record-closed': [
    409,
    'The status of the record does not allow this. Nothing was changed.',
    'Reload the record.',
  ],
  'record-merged': [
    409,
    '{reference} is merged into another record.',
    'Open the other record, or split {reference} from it first.',
  ],
  'record-has-merged': [
    409,
    'Other records are merged into {reference}, so it can’t be merged itself. Nothing was merged.',
    'Choose {reference} as the record to keep, or split the others from it first.',
  ],
  'other-person': [
    409,
    '{reference} has a different email address, and the records have no proven wallet in common. Nothing was merged.',
    'Merge only records of the same person.',
  ],
  'other-wallet': [
    409,
    '{reference} is about another wallet. Nothing was merged.',
    'Decide on it separately, or choose it as the record to keep.',
  ],
  'not-waiting': [409, 'The record is not waiting for an answer.', 'Reload the record.'],
  'not-merged': [409, 'The record is not merged into another one.', 'Reload the record.'],
  'unknown-note': [404, 'There is no such note, or it was removed.', 'Reload the record.'],
  'not-your-note': [403, 'Only its author can change a note.', 'Add a note of your own.'],
  'note-changed': [409, 'The note was changed in the meantime. Nothing was saved.', 'Reload the record.'],
  'not-mentionable': [
    404,
    'One of the mentioned admins has no active account, or the note does not name them. Nothing was saved.',
    'Mention only admins with an active account, each as @username.',
  ],
  'undo-over': [
    409,
    'The decision can’t be undone any more. Nothing was changed.',
    'Reopen the record instead.',
  ],
  'undo-sent': [
    409,
    'The decision can’t be undone, because a message about it was sent or a card was ordered. Nothing was changed.',
    'Reopen the record instead.',
  ],
  'reason-needed': [400, 'Reopening a closed message requires a reason.', 'Enter the reason.'],
  'assigned-meanwhile': [
    409,
    'Another admin changed the assignee in the meantime. Nothing was changed.',
    'Reload the record.',
  ],
  'unknown-filter': [404, 'You have no saved filter with this id.', 'Reload the list.'],
  'filters-full': [409, 'You have reached the maximum number of saved filters.', 'Remove one.'],
  'no-such-reviewer': [
    404,
    'There is no active admin with this id who can decide on records.',
    'Reload the page and choose another admin.',
  ],
  'approval-warned': [
    409,
    'There are warnings about this approval, so it was not stored.',
    'Reload the record, read the warnings, and enter why you approve it anyway.',
  ],
  'reason-names-person': [
    400,
    'The reason contains the name, the email address or the wallet of the person. Nothing was changed.',
    'Remove this data: the audit trail keeps the reason permanently.',
  ],
  'unknown-card': [404, 'There is no such card.', 'Reload the record.'],
  'top-up-closed': [
    409,
    'This transfer is no longer waiting for the team, or the card cannot be topped up. Nothing was changed.',
    'Reload the list.',
  ],
  'card-changed': [
    409,
    'The card has changed since you opened it, or its state does not allow this. Nothing was changed.',
    'Reload the record.',
  ],
  'closing-not-requested': [
    409,
    `No other admin has requested to close this card in the last ${PORTAL_LIMITS.cardClosingHours} hours. Nothing was changed.`,
    'Request it, and ask a colleague to confirm.',
  ],
  'unknown-passage': [
    404,
    'The assistant cannot find the chosen question. It may have been removed.',
    'Reload the page and choose another one.',
  ],
  'unknown-addition': [404, 'There is no such addition, or it was withdrawn.', 'Reload the page.'],
  'unknown-question': [404, 'None of these questions is waiting for an answer.', 'Reload the page.'],
  'addition-exists': [
    409,
    'The team has already added this question.',
    'Change the wording, or withdraw the earlier addition.',
  ],
  'additions-full': [
    409,
    `The team has added ${PORTAL_LIMITS.maxAdditions} questions, which is the limit.`,
    'Withdraw additions that are no longer needed.',
  ],
  'unknown-delivery': [404, 'There is no such delivery.', 'Reload the delivery log.'],
  'delivery-not-dead': [
    409,
    'This delivery has not failed: it is waiting, in progress or sent.',
    'Reload the delivery log.',
  ],
  'mail-not-bounced': [
    409,
    'No email to this applicant has failed, or another admin has already handled it. Nothing was changed.',
    'Reload the record.',
  ],
  'address-unchanged': [400, 'The record already has this email address.', 'Enter the correct address.'],
  'unknown-document': [404, 'There is no such document, or it was deleted.', 'Reload the record.'],
  'document-unreadable': [
    503,
    'The document is stored but cannot be decrypted here.',
    'Ask the operator: the server log has the reason.',
  ],
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof ERRORS;
