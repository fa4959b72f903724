//! Display formats: numbers, money, dates and times in Brazilian notation; pagination; charts.

use crate::widgets::export_links::ExportLinks;
use domain::{Moment, Money, TimeZone, display};

/// `1.234.567`
pub fn format_count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('.');
        }
        out.push(digit);
    }
    out
}

/// `R$ 1.234,56`
pub fn format_money(money: Money) -> String {
    format!("R$ {}", format_reais(money))
}

/// `1.234,56`, for a form field.
pub fn format_reais(money: Money) -> String {
    format!("{},{:02}", format_count(money.cents() / 100), money.cents() % 100)
}

const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// `2026-11` becomes `novembro de 2026`.
pub fn format_month(month: &str) -> String {
    let number = month.get(5..7).and_then(|text| text.parse::<usize>().ok());
    let name = number.and_then(|number| MONTHS.get(number.checked_sub(1)?));
    name.map_or_else(|| month.to_owned(), |name| format!("{name} de {}", month.get(..4).unwrap_or_default()))
}

/// `2026-11` becomes `nov/26`.
pub fn format_short_month(month: &str) -> String {
    let name: String = format_month(month).chars().take(3).collect();
    format!("{name}/{}", month.get(2..4).unwrap_or_default())
}

/// `14/11/2026 10:32`
pub fn format_moment(at: Moment, zone: &TimeZone) -> String {
    let iso = at.to_offset_iso(zone);
    match (iso.get(..10), iso.get(11..16)) {
        (Some(day), Some(time)) => format!("{} {time}", display::format_day(day)),
        _ => iso,
    }
}

/// The current page of a list, and the links to the others.
pub struct ListPager {
    pub number: i32,
    pub total: i64,
    pub size: i64,
    links: [Option<String>; 2],
    /// Links to the full list as a file.
    pub export: Option<ExportLinks>,
}

impl ListPager {
    pub fn new(number: i32, total: i64, size: i64, link: impl Fn(i32) -> String) -> ListPager {
        let before = (number > 1).then(|| link(number - 1));
        let after = (i64::from(number) * size < total).then(|| link(number + 1));
        ListPager { number, total, size, links: [before, after], export: None }
    }

    pub fn with_export(self, links: ExportLinks) -> ListPager {
        ListPager { export: Some(links), ..self }
    }

    pub fn before(&self) -> Option<&str> {
        self.links[0].as_deref()
    }

    pub fn after(&self) -> Option<&str> {
        self.links[1].as_deref()
    }

    /// `101 a 200 de 1.234`
    pub fn range(&self) -> String {
        let first = i64::from(self.number - 1) * self.size + 1;
        let last = (first + self.size - 1).min(self.total);
        match first > self.total {
            true => format!("Nada nesta página, de {} no total", format_count(self.total)),
            false => {
                format!("{} a {} de {}", format_count(first), format_count(last), format_count(self.total))
            }
        }
    }
}

pub struct ChartBar {
    pub name: String,
    pub value: String,
    pub class: String,
    pub link: Option<String>,
    pub text: i32,
    pub top: i32,
    pub width: i64,
}

/// A horizontal bar chart, scaled to the longest bar.
pub struct BarChart {
    pub title: &'static str,
    /// What the bars stand for.
    pub what: &'static str,
    /// What is measured.
    pub measure: &'static str,
    bars: Vec<ChartBar>,
}

const LINE: i32 = 36;
const ROOM: i64 = 360;

impl BarChart {
    pub fn new(
        title: &'static str,
        what: &'static str,
        all: Vec<(String, i64, String, Option<String>)>,
    ) -> BarChart {
        BarChart { measure: "Quantidade", ..BarChart::of_amounts(title, what, all, format_count) }
    }

    /// A chart of amounts of money.
    pub fn of_amounts(
        title: &'static str,
        what: &'static str,
        all: Vec<(String, i64, String, Option<String>)>,
        format_amount: impl Fn(i64) -> String,
    ) -> BarChart {
        let largest = all.iter().map(|(_, number, ..)| *number).max().unwrap_or(0).max(1);
        let bars = (0..).zip(all).map(|(row, (name, number, class, link))| {
            let width = (number * ROOM / largest).max(i64::from(number > 0) * 4);
            let text = row * LINE + 14;
            ChartBar { name, value: format_amount(number), class, link, text, top: text + 6, width }
        });
        BarChart { title, what, measure: "Valor", bars: bars.collect() }
    }

    pub fn bars(&self) -> &[ChartBar] {
        &self.bars
    }

    pub fn height(&self) -> i32 {
        self.bars.len() as i32 * LINE + 4
    }
}

/// A month with two columns: additions and removals.
pub struct ColumnPair {
    pub name: String,
    pub values: [String; 2],
    pub links: [String; 2],
    /// Position of the label, and left, top and height of each column.
    pub label: i64,
    pub columns: [(i64, i64, i64); 2],
}

/// A chart with a pair of columns per month.
pub struct ColumnChart {
    pub title: &'static str,
    /// Names of the two series.
    pub series: [&'static str; 2],
    pub pairs: Vec<ColumnPair>,
}

const STEP: i64 = 50;
const TALL: i64 = 150;

impl ColumnChart {
    pub fn new(
        title: &'static str,
        series: [&'static str; 2],
        all: Vec<(String, [i64; 2], [String; 2])>,
    ) -> ColumnChart {
        let largest = all.iter().flat_map(|(_, numbers, _)| *numbers).max().unwrap_or(0).max(1);
        let pairs = (0..).zip(all).map(|(at, (name, numbers, links))| {
            let left = at * STEP;
            let position = |(number, offset): (i64, i64)| {
                let height = (number * TALL / largest).max(i64::from(number > 0) * 3);
                (left + offset, TALL - height + 4, height)
            };
            let columns = [(numbers[0], 6), (numbers[1], 26)].map(position);
            ColumnPair { name, values: numbers.map(format_count), links, label: left + STEP / 2, columns }
        });
        ColumnChart { title, series, pairs: pairs.collect() }
    }

    pub fn width(&self) -> i64 {
        self.pairs.len() as i64 * STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_money_are_written_as_people_write_them() {
        assert_eq!(
            ["0", "999", "1.000", "1.234.567", "-1.000"],
            [0, 999, 1000, 1_234_567, -1000].map(format_count)[..]
        );
        let money = [5, 123_456, 300].map(|cents| format_money(Money::from_cents(cents).unwrap()));
        assert_eq!(["R$ 0,05", "R$ 1.234,56", "R$ 3,00"], money[..]);
    }

    #[test]
    fn a_page_says_where_it_is_and_what_is_around_it() {
        let pager = ListPager::new(2, 250, 100, |page| format!("?pagina={page}"));
        assert_eq!(pager.range(), "101 a 200 de 250");
        assert_eq!((pager.before(), pager.after()), (Some("?pagina=1"), Some("?pagina=3")));
        let last = ListPager::new(3, 250, 100, |page| page.to_string());
        assert_eq!((last.range().as_str(), last.after()), ("201 a 250 de 250", None));
        assert_eq!(
            ListPager::new(9, 250, 100, |_| String::new()).range(),
            "Nada nesta página, de 250 no total"
        );
    }

    #[test]
    fn columns_stand_on_one_line_and_the_smallest_is_seen() {
        let links = || [String::new(), String::new()];
        let months = vec![("nov/26".to_owned(), [300, 1], links()), ("dez/26".to_owned(), [0, 150], links())];
        let chart = ColumnChart::new("", ["", ""], months);
        let columns: Vec<_> = chart.pairs.iter().flat_map(|pair| pair.columns).collect();
        assert!(columns.iter().all(|(_, top, height)| top + height == TALL + 4));
        assert_eq!(columns.iter().map(|(_, _, height)| *height).collect::<Vec<_>>(), [TALL, 3, 0, 75]);
        assert_eq!((chart.width(), chart.pairs[1].label), (100, 75));
    }

    #[test]
    fn a_month_has_a_name() {
        assert_eq!(format_month("2026-03"), "março de 2026");
        assert_eq!(format_short_month("2026-03"), "mar/26");
        assert_eq!(format_month("2026-13"), "2026-13");
    }

    #[test]
    fn the_longest_bar_takes_the_room_and_the_smallest_is_seen() {
        let bar = |number| (String::new(), number, String::new(), None);
        let chart = BarChart::new("", "", vec![bar(1_000_000), bar(1), bar(0)]);
        assert_eq!(chart.bars().iter().map(|bar| bar.width).collect::<Vec<_>>(), [ROOM, 4, 0]);
    }
}
