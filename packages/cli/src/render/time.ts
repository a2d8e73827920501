import { duration } from "./progress.ts";

/** A time as people say it; the short ones in milliseconds. */
export function spoken(seconds: number): string {
  return seconds < 0.95 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : duration(seconds);
}

/** A date in the reader's own time zone: `2026-01-31 09:45`. */
export function when(date: string): string {
  const time = new Date(date);
  if (Number.isNaN(time.getTime())) return date;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
