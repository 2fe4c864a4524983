import { countryName } from '../../../../data/model/countries.ts';
import { dollars } from '../../../../data/model/facts/wording.ts';
import { LOAN_TERMS } from '../../../../data/model/loan-terms.ts';
import type { LoanApplication } from '../../../../data/store/loan-port.ts';
import type { Letter } from '../letter.ts';
import { moment } from './moment.ts';
import { applicationsOnAdminScreen, NOT_YOU, type PortalTerms, statusLink } from './shared-parts.ts';

/*
 * What goes to the address in the form holds nothing that was typed into it: the form can be filled in with anyone's mail
 * address, and is not to carry words to them. The documents are named in no letter.
 */

export function loanReceived({ referenceNumber, createdAt }: LoanApplication, terms: PortalTerms): Letter {
  return {
    subject: `We have your loan note application ${referenceNumber}`,
    parts: [
      {
        kind: 'paragraph',
        text: `Thank you for applying for the BlackDuck convertible loan note. We confirm it within ${LOAN_TERMS.confirmationHours} hours.`,
      },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(createdAt)],
        ],
      },
      {
        kind: 'paragraph',
        text: 'Your documents are encrypted. Send no money before you have signed the note: applying binds neither you nor us.',
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}

export function loanForTeam(application: LoanApplication, terms: PortalTerms): Letter {
  const { referenceNumber } = application;
  return {
    subject: `Loan note application ${referenceNumber}`,
    parts: [
      {
        kind: 'paragraph',
        text: 'Somebody applied for the convertible loan note. An answer to this mail goes to them. The documents are on the admin screen alone.',
      },
      {
        kind: 'facts',
        facts: [
          ['Reference number', referenceNumber],
          ['Received', moment(application.createdAt)],
          ['Name', application.name],
          ['Email', application.email],
          ['Country', countryName(application.country)],
          ['Investment amount', dollars(application.investmentAmount)],
          ['Investor type', application.investorType],
          ['Aware of the risk', application.riskSuitability],
          ['Repayment preference', application.conversionOption],
          ['Comments', application.comments],
        ],
      },
      applicationsOnAdminScreen(terms),
    ],
  };
}

export function loanApproved({ referenceNumber }: LoanApplication, terms: PortalTerms): Letter {
  return {
    subject: `Your loan note application ${referenceNumber} is approved`,
    parts: [
      {
        kind: 'paragraph',
        text: 'The team has approved your application for the BlackDuck convertible loan note, and writes to you about the contract.',
      },
      {
        kind: 'paragraph',
        text: 'Send no money before you have signed the note, and never to an address from a mail alone: ask the team on a way that you know.',
      },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}

export function loanRefused({ referenceNumber, refusalReason }: LoanApplication, terms: PortalTerms): Letter {
  return {
    subject: `Your loan note application ${referenceNumber} is not approved`,
    parts: [
      {
        kind: 'paragraph',
        text: 'The team has looked at your application for the convertible loan note and could not approve it.',
      },
      { kind: 'facts', facts: [['Reason', refusalReason]] },
      statusLink(terms),
      NOT_YOU,
    ],
  };
}
