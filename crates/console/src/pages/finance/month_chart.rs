//! Columns of money by month, as SVG with an axis: what was received of each month's titles stands below what is open.
//! Everything is placed in whole units of the view box, which fits a telephone without being scrolled.

use crate::widgets::formats::{format_count, format_month, format_short_month};

const LEFT: i64 = 36;
const STEP: i64 = 27;
const TOP: i64 = 18;
const BOTTOM: i64 = 168;
/// So many lines at most stand above the base line.
const MOST_TICKS: i64 = 5;

/// A month of the chart. Amounts are cents.
pub struct MonthAmounts {
    /// `2026-11`
    pub month: String,
    pub received: i64,
    pub open: i64,
}

pub struct ChartTick {
    pub y: i64,
    pub label: String,
}

pub struct MonthColumn {
    /// `nov`, and the year below the first month of it.
    pub name: String,
    pub year: String,
    pub left: i64,
    pub middle: i64,
    /// Top and height.
    pub received: (i64, i64),
    pub open: (i64, i64),
    pub total: String,
    pub total_y: i64,
}

pub struct MonthChart {
    /// `R$ mil`
    pub unit: &'static str,
    pub ticks: Vec<ChartTick>,
    pub columns: Vec<MonthColumn>,
    /// The chart in a sentence.
    pub text: String,
}

impl MonthChart {
    pub fn new(months: &[MonthAmounts]) -> MonthChart {
        let largest = months.iter().map(|one| one.received + one.open).max().unwrap_or(0).max(1);
        let unit = ChartUnit::choose(largest);
        let step = choose_tick_step(largest);
        let highest = (largest + step - 1) / step * step;
        let scale = |cents: i64| scale_rounded(cents, BOTTOM - TOP, highest);
        let tick = |cents: i64| ChartTick { y: BOTTOM - scale(cents), label: unit.format(cents) };
        let column = |(at, one): (i64, &MonthAmounts)| {
            let received = scale(one.received).max(i64::from(one.received > 0));
            let all = scale(one.received + one.open).max(received + i64::from(one.open > 0));
            let left = LEFT + at * STEP + 3;
            let (year, number) = one.month.split_once('-').unwrap_or((&one.month, ""));
            MonthColumn {
                name: format_month(&one.month).chars().take(3).collect(),
                year: if at == 0 || number == "01" { year.to_owned() } else { String::new() },
                left,
                middle: left + (STEP - 6) / 2,
                received: (BOTTOM - received, received),
                open: (BOTTOM - all, all - received),
                total: unit.format(one.received + one.open),
                total_y: BOTTOM - all - 4,
            }
        };
        MonthChart {
            unit: unit.name(),
            ticks: (0..=highest / step).map(|number| tick(number * step)).collect(),
            columns: (0..).zip(months).map(column).collect(),
            text: describe_months(months),
        }
    }

    /// The right end of the lines.
    pub fn right(&self) -> i64 {
        LEFT + self.columns.len() as i64 * STEP
    }
}

fn describe_months(months: &[MonthAmounts]) -> String {
    let (Some(first), Some(last)) = (months.first(), months.last()) else { return String::new() };
    format!(
        "Títulos por mês de vencimento, de {} a {}: o que foi liquidado e o que está em aberto. A tabela “Mês a mês” tem os mesmos números.",
        format_short_month(&first.month),
        format_short_month(&last.month),
    )
}

/// What the numbers of a chart count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChartUnit {
    Reais,
    Thousands,
    Millions,
}

impl ChartUnit {
    fn choose(cents: i64) -> ChartUnit {
        match cents {
            100_000_000.. => ChartUnit::Millions,
            100_000.. => ChartUnit::Thousands,
            _ => ChartUnit::Reais,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ChartUnit::Reais => "R$",
            ChartUnit::Thousands => "R$ mil",
            ChartUnit::Millions => "R$ milhões",
        }
    }

    /// `12,3`, or `123` where the tenth is nothing to see.
    fn format(self, cents: i64) -> String {
        let tenth_of_unit = match self {
            ChartUnit::Reais => return format_count(scale_rounded(cents, 1, 100)),
            ChartUnit::Thousands => 10_000,
            ChartUnit::Millions => 10_000_000,
        };
        let tenths = scale_rounded(cents, 1, tenth_of_unit);
        match (tenths / 10, tenths % 10) {
            (whole @ 0..100, tenth @ 1..) => format!("{whole},{tenth}"),
            _ => format_count(scale_rounded(cents, 1, tenth_of_unit * 10)),
        }
    }
}

/// `value × factor ÷ divisor`, rounded half up.
fn scale_rounded(value: i64, factor: i64, divisor: i64) -> i64 {
    let product = i128::from(value) * i128::from(factor);
    let divisor = i128::from(divisor.max(1));
    i64::try_from((product + divisor / 2) / divisor).unwrap_or(i64::MAX)
}

/// 1, 2 or 5 with zeros behind it, at least a real.
fn choose_tick_step(largest: i64) -> i64 {
    let mut power = 100;
    loop {
        for step in [power, power * 2, power * 5] {
            if largest <= step * MOST_TICKS || step > i64::MAX / 100 {
                return step;
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
impl MonthChart {
    pub fn sample(with: crate::template_tests::SampleContent) -> MonthChart {
        let month = || MonthAmounts { month: "2026-11".to_owned(), received: 31_980, open: 5 };
        MonthChart { text: with.text(), ..MonthChart::new(&with.list_of(month)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_on_the_axis_and_reach_their_value() {
        let month = |month: &str, received, open| MonthAmounts { month: month.to_owned(), received, open };
        let months = [month("2025-12", 1_000_000, 0), month("2026-01", 1, 4_000_000), month("2026-02", 0, 0)];
        let chart = MonthChart::new(&months);
        let labels: Vec<&str> = chart.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!((chart.unit, labels), ("R$ mil", vec!["0", "10", "20", "30", "40", "50"]));
        for column in &chart.columns {
            assert_eq!(column.received.0 + column.received.1, BOTTOM);
            assert_eq!(column.open.0 + column.open.1, column.received.0);
        }
        let years: Vec<&str> = chart.columns.iter().map(|column| column.year.as_str()).collect();
        assert_eq!(years, ["2025", "2026", ""]);
        let totals: Vec<&str> = chart.columns.iter().map(|column| column.total.as_str()).collect();
        assert_eq!(totals, ["10", "40", "0"]);
        assert_eq!((chart.columns[1].received.1, chart.columns[2].open.1), (1, 0));
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!([99_900, 5_049].map(|cents| ChartUnit::Reais.format(cents)), ["999", "50"]);
        assert_eq!(
            [1_230_000, 9_999_999, 12_345_678].map(|cents| ChartUnit::Thousands.format(cents)),
            ["12,3", "100", "123"]
        );
        assert_eq!(ChartUnit::Millions.format(1_234_567_890), "12,3");
        assert_eq!([1, 501, 5_000_000].map(choose_tick_step), [100, 200, 1_000_000]);
    }
}
