import { HubError } from "../../platform/errors/hub-error.ts";

/** Days in UTC, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface DailyCount {
  readonly day: string;
  readonly count: number;
}

const milliseconds = 86_400_000;

/** Years of other than four digits are written, and read, in several ways. */
const first = "1970-01-01";
/** As many days as one may ask for. */
const most = 366;

/** The last days up to one that is included: today, in UTC, unless another is given. */
export function lastDays(count: number, to: Date): Period {
  return { from: dayOf(to.getTime() - (count - 1) * milliseconds), to: dayOf(to.getTime()) };
}

/** A period as somebody asks for it; what is left out makes 30 days up to today. */
export function askedPeriod(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Period {
  const last = to === undefined ? now : new Date(to);
  const period = { ...lastDays(30, last), ...(from !== undefined && { from }) };
  const days = daysIn(period);
  if (days >= 1 && days <= most && period.from >= first) return period;
  throw new HubError("invalid-period", {
    message: `From ${period.from} to ${period.to} are ${days} days. Ask for 1 to ${most}, after ${first}.`,
  });
}

function daysIn({ from, to }: Period): number {
  return (Date.parse(to) - Date.parse(from)) / milliseconds + 1;
}

/** Each day of a period, with what was counted on it. */
export function everyDay({ from, to }: Period, counted: readonly DailyCount[]): DailyCount[] {
  const counts = new Map(counted.map(({ day, count }) => [day, count]));
  return Array.from({ length: daysIn({ from, to }) }, (_, index) => {
    const day = dayOf(Date.parse(from) + index * milliseconds);
    return { day, count: counts.get(day) ?? 0 };
  });
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
