import { figure } from "./figures.ts";

/** Formats a duration: `4 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 10) return `${figure(Number(seconds.toFixed(1)))} s`;
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  return `${Math.floor(rounded / 3600)} h ${Math.floor((rounded % 3600) / 60)} min`;
}

/** Formats a duration, below a second in milliseconds. */
export function shortDuration(seconds: number): string {
  return seconds < 0.95 ? `${Math.max(1, Math.round(seconds * 1000))} ms` : duration(seconds);
}

/** Formats a date in the local time zone: `2026-01-31 09:45`. Returns an invalid date unchanged. */
export function localDateTime(date: string): string {
  const time = new Date(date);
  if (Number.isNaN(time.getTime())) return date;
  const pad = (value: number): string => String(value).padStart(2, "0");
  const day = [time.getFullYear(), pad(time.getMonth() + 1), pad(time.getDate())].join("-");
  return `${day} ${pad(time.getHours())}:${pad(time.getMinutes())}`;
}
