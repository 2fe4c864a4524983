import { describe, expect, it } from 'vitest';
import { CARD_FORM, OVERLAY_FORM } from './card-forms.ts';
import { CONTACT_FORM, CONTACT_TEXTS } from './contact-form.ts';
import { type FormField, fieldError } from './field.ts';
import { LOAN_FORM } from './loan-form.ts';
import { REQUEST_FORM, SHORT_REQUEST_FORM, SHORT_REQUEST_VALUES } from './verification-forms.ts';

const cardFields = CARD_FORM.fields;
const requestFields = REQUEST_FORM.fields;

describe('the form texts that the specification gives', () => {
  it.each<[FormField, string, string | null]>([
    [cardFields.firstName, 'A', 'First name must be at least 2 characters'],
    [cardFields.lastName, '', 'Last name must be at least 2 characters'],
    [cardFields.email, 'ada', 'Please enter a valid email address'],
    [cardFields.phoneNumber, '+4420 794', 'Please enter a valid phone number'],
    [cardFields.phoneNumber, '+44 20 794', null],
    [cardFields.alias, 'ab', 'Alias must be at least 3 characters'],
    [cardFields.alias, '🦆'.repeat(20), null],
    [cardFields.alias, 'a'.repeat(21), 'Alias must be less than 20 characters'],
    [requestFields.walletAddress, '1'.repeat(31), 'Valid wallet address required'],
    [requestFields.userEmail, '', 'Valid email address required'],
    [requestFields.claimedStakedAmount, ' ', 'Please specify the amount you have staked'],
    [requestFields.requestReason, '123456789', 'Please provide a detailed reason (minimum 10 characters)'],
    [requestFields.requestReason, '1234567890', null],
  ])('give the field $label the specified error or none', (field, typed, message) => {
    expect(fieldError(field, typed)?.message ?? null).toBe(message);
  });

  it('include the labels and hints of the fields', () => {
    const labels = [OVERLAY_FORM, REQUEST_FORM, SHORT_REQUEST_FORM].map(({ fields }) =>
      Object.values<FormField>(fields).map(({ label }) => label),
    );
    expect(labels).toEqual([
      ['Card Alias', 'Full Legal Name', 'Email Address', 'Telegram Account', 'Additional Requirements'],
      [
        'Wallet Address',
        'Email Address *',
        'Telegram Username',
        'BD Tokens You Have Staked *',
        'Why do you believe our system is incorrect? *',
        'Additional Evidence',
      ],
      ['Email *', 'Telegram Username', 'Staking Evidence *'],
    ]);
    expect(OVERLAY_FORM.fields.cardAlias.hint).toBe("Choose a name you'll easily recognize");
  });

  it('include the values that the inline form sends for fields that it does not show', () => {
    expect(SHORT_REQUEST_VALUES).toEqual({
      claimedStakedAmount: 'Unable to specify - requesting manual verification',
      requestReason: 'Manual verification requested through inline form',
    });
  });

  it('include the notices of the contact form', () => {
    expect(CONTACT_TEXTS).toEqual({
      missing: {
        title: 'Required Fields Missing',
        text: 'Please fill in your name, email, and message before submitting.',
      },
      sent: { title: 'Message Sent Successfully!', text: "We'll respond within 24 hours." },
      failed: { title: 'Message Failed', text: 'Please try again or contact us directly via email' },
      sending: 'Sending Message...',
    });
  });
});

describe('the forms, as the specification requires,', () => {
  const optionalNames = (fields: Readonly<Record<string, FormField>>) =>
    Object.keys(fields).filter((name) => fields[name]?.optional);

  it('have the specified optional fields', () => {
    expect(optionalNames(CONTACT_FORM.fields)).toEqual(
      expect.arrayContaining(['subject', 'category', 'walletAddress']),
    );
    expect(optionalNames(OVERLAY_FORM.fields)).toEqual(['notes']);
    expect(optionalNames(requestFields)).toEqual(['userTelegram', 'evidenceProvided']);
    expect(optionalNames(LOAN_FORM.fields)).toContain('comments');
  });

  it('offer the specified choices for a loan', () => {
    const { investmentAmount, investorType, riskSuitability, conversionOption } = LOAN_FORM.fields;
    expect(Object.values(investmentAmount.options)).toEqual(
      [50, 75, 100, 125, 150, 175, 200, 225, 250].map((thousands) => `$${thousands},000`),
    );
    expect(
      [investorType, riskSuitability, conversionOption].map(({ options }) => Object.keys(options)),
    ).toEqual([
      ['HNW Individual', 'Family Office', 'Sophisticated Investor'],
      ['Yes', 'No'],
      ['Convert', 'Repaid', 'Undecided'],
    ]);
  });
});
