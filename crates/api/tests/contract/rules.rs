//! The rules of the interface that these tests hold, in our own words, each with the test that shows it.

/// Its name, the rule, the test.
type Rule = (&'static str, &'static str, &'static str);

const CONVENTIONS: &[Rule] = &[
    ("names-1", "codes are integers", "every_code_is_an_integer"),
    (
        "names-2",
        "a missing value is a key with null",
        "a_row_of_the_member_search_has_every_key_with_and_without_a_benefit",
    ),
    (
        "names-3",
        "a benefit has every key wherever it is told",
        "a_benefit_has_every_key_in_the_search_in_the_list_and_where_it_is_saved",
    ),
    (
        "answers-1",
        "success is 200 with JSON, whatever the caller accepts and however he writes the path",
        "every_answer_is_json_and_its_status_200",
    ),
    ("answers-2", "HEAD works where GET does", "head_answers_like_get_without_a_body"),
    (
        "dates-1",
        "dates in bodies come in both forms; one that is no day is refused",
        "dates_in_bodies_come_in_both_forms_and_impossible_ones_are_refused",
    ),
    (
        "dates-2",
        "dates in queries have one form and are real days",
        "dates_in_queries_have_one_form_and_are_real",
    ),
    ("dates-3", "the association's time zone decides the day", "the_associations_time_zone_decides_the_day"),
    ("dates-4", "an interval includes both ends", "an_interval_of_registration_includes_both_ends"),
    ("empty-1", "an empty parameter counts as absent", "an_empty_parameter_is_as_if_not_given"),
    (
        "empty-2",
        "an empty text in a body counts as absent, null clears",
        "null_clears_and_an_empty_text_does_not",
    ),
    (
        "empty-3",
        "the same holds for a member",
        "a_post_for_a_document_that_is_there_updates_absent_stays_and_null_clears",
    ),
    ("documents-1", "documents go out masked", "documents_go_out_masked_in_every_record"),
    ("documents-2", "documents in bodies are verified", "documents_in_bodies_are_verified"),
    (
        "documents-3",
        "in queries either parameter takes either document, and a wrong one finds nothing",
        "a_document_is_found_masked_or_bare_by_either_parameter_and_a_wrong_one_finds_nothing",
    ),
    ("documents-4", "a CNPJ with letters is a CNPJ", "an_alphanumeric_cnpj_is_a_cnpj_like_any_other"),
    (
        "cep-1",
        "postal codes: hyphen out, either way in",
        "postal_codes_go_out_with_a_hyphen_and_come_in_either_way",
    ),
    (
        "address-1",
        "an address has its street with and without its kind",
        "an_address_tells_its_street_with_and_without_its_kind",
    ),
    (
        "phones-1",
        "telephones: one mask out, any in, the country dropped only from 12 or 13 digits",
        "telephones_go_out_without_blanks_and_come_in_any_mask",
    ),
    (
        "plates-1",
        "plates of both kinds are kept in capitals without hyphen",
        "plates_come_in_either_form_and_any_dress",
    ),
    ("plates-2", "a search by either form of one plate finds it", "either_form_of_a_plate_finds_the_vehicle"),
    ("money-1", "money is a number with at most two decimals", "money_is_a_number_to_the_cent"),
    (
        "situation-names-1",
        "names are matched without case and written in capitals; an unknown one is refused",
        "a_situation_is_named_without_regard_to_case_and_comes_out_in_capitals",
    ),
    (
        "situation-names-2",
        "accents do not count either, and names are the association's own",
        "a_situation_that_the_association_renamed_is_found_without_its_accents_and_written_in_capitals",
    ),
    (
        "situation-names-3",
        "any situation includes those without a benefit; an unknown name finds nothing",
        "any_situation_includes_members_without_a_benefit_and_a_named_one_does_not",
    ),
    (
        "sets-1",
        "fixed sets are exact and a refusal lists them",
        "fixed_sets_are_exact_and_a_refusal_lists_them",
    ),
    (
        "sets-2",
        "so are categories and fuels of vehicles",
        "categories_and_fuels_are_the_fixed_sets_and_others_are_refused_with_the_list",
    ),
    ("unknown-1", "unknown parameters are ignored", "every_parameter_narrows_what_the_others_found"),
    (
        "unknown-2",
        "unknown fields of a body are ignored",
        "integration_code_and_note_are_taken_and_what_is_unknown_ignored",
    ),
    (
        "pages-1",
        "a hundred a page, from 1, with total and whether there is more",
        "pages_have_a_hundred_rows_and_say_where_they_are",
    ),
    (
        "pages-2",
        "below one refused, past the end empty",
        "a_page_below_one_is_refused_and_one_past_the_end_is_empty",
    ),
    ("pages-3", "a full page that is the last", "exactly_a_hundred_are_one_page"),
    ("pages-4", "pages joined are the list", "pages_joined_are_the_list"),
    ("pages-5", "pages joined are the member search", "pages_joined_are_the_member_search"),
    ("order-1", "the list goes by code", "the_list_is_of_all_benefits_by_code_whatever_their_situation"),
    ("order-2", "member rows come as they came to be", "rows_come_in_the_order_in_which_they_came_to_be"),
    ("order-3", "new rows only append", "a_row_that_comes_while_somebody_walks_the_pages_displaces_none"),
    ("order-4", "other arrays go by name, then code", "several_benefits_come_by_name_then_code"),
];

const MEMBERS: &[Rule] = &[
    ("member-save-1", "created and answered with masks", "a_member_is_created_and_answered_with_masks"),
    ("member-save-2", "what was saved is found", "what_was_saved_of_a_member_comes_back_in_the_search"),
    (
        "member-save-3",
        "an update shows in all his rows",
        "an_update_shows_at_once_in_the_rows_of_all_his_benefits",
    ),
    (
        "member-save-4",
        "the store may be left out by who has one",
        "the_store_may_be_left_out_only_by_who_has_exactly_one",
    ),
    (
        "member-save-5",
        "somebody of an unreachable store is a conflict that names none",
        "a_person_of_a_store_out_of_reach_is_a_conflict_that_names_no_store",
    ),
    (
        "member-save-6",
        "a store in an update moves him",
        "a_store_in_an_update_moves_the_member_where_the_caller_has_both",
    ),
    ("member-save-7", "an integration code is no key", "an_integration_code_is_no_key_and_may_repeat"),
    (
        "member-save-8",
        "sellers are checked",
        "sellers_that_do_not_exist_are_inactive_or_belong_elsewhere_are_refused_by_name",
    ),
    (
        "member-save-9",
        "one person for each document in each association",
        "the_same_document_in_another_base_is_another_person",
    ),
    ("member-save-10", "also with eight at once", "eight_posts_of_one_person_at_once_make_one_person"),
    (
        "member-save-11",
        "the answer has the keys of its record",
        "a_saved_member_is_answered_with_exactly_the_keys_of_its_record",
    ),
    ("member-save-12", "and is so byte for byte", "the_person_record_byte_for_byte"),
    (
        "member-save-13",
        "a change moves the day of the last change",
        "the_day_of_the_last_change_moves_with_the_member_and_with_the_benefit",
    ),
    (
        "member-save-14",
        "no change moves nothing",
        "the_same_again_changes_nothing_not_even_the_day_of_the_last_change",
    ),
    ("member-search-1", "a criterion is needed", "a_search_without_criterion_is_refused"),
    ("member-search-2", "and the refusal names them", "a_refused_search_names_what_would_suffice"),
    ("member-search-3", "each suffices", "each_criterion_suffices_alone"),
    ("member-search-4", "all eighteen narrow", "every_parameter_narrows_what_the_others_found"),
    ("member-search-5", "one row for each benefit", "a_member_appears_once_for_each_benefit"),
    (
        "member-search-6",
        "one row without any, its benefit fields null",
        "a_member_without_benefits_is_one_row_whose_benefit_fields_are_null",
    ),
    (
        "member-search-7",
        "changed on that day or later, member or benefit",
        "changed_means_on_that_day_or_later",
    ),
    (
        "member-search-8",
        "where both have a value, the benefit's",
        "where_both_have_a_value_row_and_filter_use_the_benefits",
    ),
    (
        "member-search-9",
        "names by beginnings of words in any order",
        "names_are_found_by_the_beginnings_of_words_in_any_order",
    ),
    (
        "member-search-10",
        "the same as a naive reader, on both engines",
        "names_find_whom_a_naive_reader_would_find",
    ),
    ("member-search-11", "blanks are no name", "a_name_of_blanks_is_no_criterion"),
    ("member-search-12", "limits of the parameters", "limits_of_the_parameters_are_told_by_name"),
    (
        "member-search-14",
        "any combination, for any caller",
        "any_combination_of_parameters_finds_what_a_naive_reader_would_filter",
    ),
    ("member-search-13", "rows byte for byte", "the_rows_of_the_member_search_byte_for_byte"),
];

const BENEFITS: &[Rule] = &[
    (
        "benefit-create-1",
        "linked by document, store of the person unless said",
        "a_benefit_belongs_to_the_person_of_its_document_and_to_his_store",
    ),
    ("benefit-create-2", "plan and document are needed", "plan_and_document_are_needed_to_create"),
    ("benefit-create-3", "the document is somebody's", "a_document_of_nobody_is_refused"),
    ("benefit-create-4", "type and price are the plan's", "the_type_is_that_of_the_plan"),
    (
        "benefit-create-5",
        "the wrong path names the right one",
        "a_plan_on_the_wrong_path_is_refused_with_the_right_one",
    ),
    (
        "benefit-create-6",
        "the plan is an active one of the association",
        "a_plan_that_is_unknown_inactive_or_of_another_association_is_refused_alike",
    ),
    (
        "benefit-create-7",
        "due days are the association's, told as promised",
        "the_due_day_is_one_of_the_associations",
    ),
    ("benefit-create-8", "sellers are checked", "sellers_of_a_benefit_are_checked_like_those_of_a_member"),
    ("benefit-create-9", "day of joining", "the_day_of_joining_comes_in_either_form"),
    (
        "benefit-create-10",
        "integration code and note",
        "integration_code_and_note_are_taken_and_what_is_unknown_ignored",
    ),
    (
        "benefit-create-11",
        "codes and sequences count from 1 in each association",
        "codes_and_sequence_numbers_count_from_one_in_each_association",
    ),
    ("benefit-create-12", "the saved record byte for byte", "the_saved_benefit_record_byte_for_byte"),
    (
        "benefit-change-1",
        "a code changes that one, absent stays",
        "with_a_code_that_benefit_is_changed_and_what_is_absent_stays",
    ),
    (
        "benefit-change-2",
        "the basic path changes any type",
        "the_basic_path_changes_the_common_fields_of_a_benefit_of_any_type",
    ),
    ("benefit-change-3", "the vehicle path changes the vehicle", "the_vehicle_path_changes_the_vehicle"),
    ("benefit-change-4", "and no other type", "the_vehicle_path_refuses_a_benefit_that_has_no_vehicle"),
    ("benefit-change-5", "the document is the holder's", "the_document_of_a_change_is_the_holders"),
    (
        "benefit-change-6",
        "the plan it has, and another",
        "the_plan_it_has_changes_nothing_and_another_replaces_it",
    ),
    (
        "benefit-change-7",
        "plan and type never disagree",
        "a_plan_of_another_kind_without_vehicle_replaces_too",
    ),
    ("benefit-change-8", "a cancelled one is a conflict", "a_cancelled_benefit_cannot_be_changed"),
    (
        "benefit-change-9",
        "an unknown code in the body",
        "a_code_in_the_body_that_does_not_exist_is_bad_input",
    ),
    (
        "benefit-change-10",
        "a store moves it",
        "a_store_in_a_change_moves_the_benefit_where_the_caller_has_both",
    ),
    ("benefit-change-11", "no change, no trace", "what_changes_nothing_answers_the_same_and_leaves_no_trace"),
    ("situation-1", "pending unless said", "without_situation_or_flag_a_new_benefit_is_pending"),
    ("situation-2", "the flag picks the default", "the_flag_picks_the_default_active_or_inactive_situation"),
    ("situation-3", "both may come where they agree", "situation_and_flag_may_both_come_where_they_agree"),
    (
        "situation-4",
        "a satisfied flag changes nothing",
        "a_flag_that_the_present_type_satisfies_changes_nothing",
    ),
    ("situation-5", "changes move it", "a_change_of_situation_moves_the_benefit"),
    ("situation-6", "day of activation", "the_day_of_activation_is_that_on_which_it_became_active"),
    (
        "situation-7",
        "colours that can be read",
        "colours_are_those_of_the_situation_and_a_text_on_them_can_be_read",
    ),
    ("vehicle-1", "plate or chassis", "plate_or_chassis_is_needed"),
    ("vehicle-2", "and one of them stays", "a_vehicle_keeps_plate_or_chassis"),
    ("vehicle-3", "comes back as it came", "the_vehicle_comes_back_as_it_came"),
    (
        "vehicle-4",
        "its type is an active one of the association",
        "a_vehicle_type_is_an_active_one_of_the_association",
    ),
    ("vehicle-5", "at most twenty characters of chassis", "a_chassis_has_at_most_twenty_characters"),
    (
        "vehicle-6",
        "one living benefit for a plate or chassis",
        "a_plate_or_chassis_has_one_living_benefit_at_a_time",
    ),
    ("vehicle-7", "inactive and cancelled set it free", "only_inactive_and_cancelled_set_a_plate_free"),
    ("vehicle-8", "one born inactive takes none", "a_benefit_that_is_born_inactive_takes_no_plate"),
    ("vehicle-9", "a change into a taken one", "a_plate_changed_into_one_that_is_taken_is_a_conflict"),
    ("vehicle-10", "each association for itself", "the_other_association_may_protect_the_same_plate"),
    ("vehicle-11", "with eight at once, by plate", "eight_at_once_with_one_plate_make_one_benefit"),
    ("vehicle-12", "with eight at once, by chassis", "eight_at_once_with_one_chassis_make_one_benefit"),
    ("card-1", "made where none comes", "a_card_number_is_made_where_none_comes_and_shown_in_groups"),
    ("card-2", "shared by one person's benefits", "a_number_sent_back_is_shared_by_benefits_of_one_person"),
    (
        "card-3",
        "a new one is taken as it comes, no check digit",
        "a_number_new_to_the_association_is_taken_as_it_comes",
    ),
    ("card-4", "another's is a conflict", "the_card_of_another_person_is_a_conflict"),
    ("card-5", "none is made that is there", "a_number_that_is_made_never_is_one_that_somebody_sent"),
    ("card-6", "each association for itself", "the_other_association_may_use_the_same_number"),
    ("card-7", "eight at once", "eight_people_who_send_one_new_card_number_leave_it_to_one"),
    (
        "fields-1",
        "by code or name, out as text",
        "a_field_is_named_by_code_or_by_name_and_its_value_comes_back_as_text",
    ),
    ("fields-2", "type, options, length", "values_are_checked_against_the_fields_type_options_and_length"),
    ("fields-3", "of this kind of benefit", "a_field_must_be_an_active_one_of_this_kind_of_benefit"),
    (
        "fields-4",
        "named ones written, others stay, null clears",
        "named_fields_are_written_the_others_stay_and_null_clears",
    ),
    ("fields-5", "all or none", "all_of_the_fields_are_stored_or_none"),
    ("fields-6", "a required one may be absent", "a_required_field_that_is_absent_is_no_reason_to_refuse"),
    ("benefit-search-1", "a benefit parameter is needed", "a_benefit_parameter_is_needed"),
    (
        "benefit-search-2",
        "each suffices; a bare array",
        "each_benefit_parameter_suffices_and_the_answer_is_a_bare_array",
    ),
    ("benefit-search-3", "the others narrow", "the_other_parameters_narrow"),
    ("benefit-search-4", "limits", "limits_of_the_benefit_parameters_are_told_by_name"),
    (
        "benefit-search-5",
        "card numbers with and without blanks",
        "a_card_number_is_found_with_blanks_behind_any_of_its_groups",
    ),
    ("benefit-search-6", "items byte for byte", "the_items_of_the_benefit_search_byte_for_byte"),
    ("list-1", "an empty one", "an_empty_list_is_a_page_like_any_other"),
    ("list-2", "byte for byte", "the_page_of_the_list_byte_for_byte"),
    ("list-3", "its path is no code", "lista_is_no_code_of_a_benefit"),
    (
        "cancel-1",
        "to the default cancelled situation, data kept",
        "cancelling_moves_to_the_cancelled_situation_and_keeps_all_data",
    ),
    (
        "cancel-2",
        "the bodies it takes",
        "cancelling_takes_nothing_an_empty_object_an_empty_array_or_a_reason",
    ),
    ("cancel-3", "and those it does not", "a_body_that_is_no_json_is_refused_and_cancels_nothing"),
    ("cancel-4", "again is the same", "cancelling_again_answers_the_same_without_a_second_change"),
    ("cancel-5", "an unknown code in the path", "a_code_in_the_path_that_does_not_exist_is_not_found"),
    ("cancel-6", "other methods", "other_methods_are_told_what_is_allowed"),
    ("cancel-7", "no way back", "the_interface_leads_into_cancelled_but_not_out"),
    ("cancel-8", "eight at once", "eight_at_once_that_cancel_one_benefit_change_it_once"),
];

const BEHAVIOUR: &[Rule] = &[
    (
        "decision-2-1",
        "rows and totals of the member search",
        "the_member_search_shows_and_counts_the_rows_of_the_callers_stores_alone",
    ),
    (
        "decision-2-2",
        "no parameter finds the unseen",
        "what_is_out_of_reach_is_not_found_by_any_parameter_of_the_member_search",
    ),
    (
        "decision-2-3",
        "a row is of its benefit's store",
        "a_row_is_of_its_benefits_store_whatever_the_members",
    ),
    ("decision-2-4", "the benefit search", "the_benefit_search_finds_in_the_callers_stores_alone"),
    (
        "decision-2-5",
        "the list and its total",
        "the_list_shows_and_counts_the_benefits_of_the_callers_stores_alone",
    ),
    (
        "decision-2-6",
        "codes in paths",
        "cancelling_what_is_out_of_reach_answers_like_an_unknown_code_and_cancels_nothing",
    ),
    ("decision-2-7", "codes in bodies", "changing_what_is_out_of_reach_answers_like_an_unknown_code"),
    ("decision-2-8", "documents in bodies", "a_member_out_of_reach_answers_like_a_document_of_nobody"),
    (
        "decision-2-9",
        "seen by a benefit",
        "who_sees_a_member_by_a_benefit_may_give_him_another_in_his_own_store",
    ),
    ("decision-2-10", "stores and sellers", "stores_and_sellers_out_of_reach_answer_like_unknown_ones"),
    ("decision-2-11", "conflicts", "a_conflict_with_what_is_out_of_reach_tells_no_more_than_that"),
    ("decision-2-12", "registers of two associations", "the_other_associations_registers_are_never_mixed_in"),
    ("decision-2-13", "every role, all operations", "every_role_may_call_all_operations_within_its_stores"),
    (
        "decision-10-1",
        "one key, one benefit, a refusal too",
        "the_same_key_gets_the_same_answer_and_makes_one_benefit",
    ),
    ("decision-10-2", "one key, one cancellation", "a_cancellation_is_done_once_under_one_key"),
    ("decision-10-3", "a key is one user's", "a_key_of_one_user_replays_nothing_to_another"),
    ("decision-11-1", "all problems of a benefit", "all_problems_of_a_benefit_come_at_once_one_a_line"),
    ("decision-11-2", "all that cannot be read", "what_cannot_be_read_is_all_told_at_once"),
    ("decision-11-3", "both together", "what_cannot_be_read_and_what_does_not_exist_come_together"),
    ("decision-11-4", "all problems of a search", "all_problems_of_a_search_come_at_once"),
    ("decision-11-5", "all problems of a member", "every_problem_is_told_at_once_and_named"),
    ("decision-11-6", "what is allowed, in Portuguese", "a_refusal_says_in_portuguese_what_is_allowed"),
    ("decision-12-1", "credential before all", "without_a_good_credential_nothing_else_is_looked_at"),
    ("decision-12-2", "the order of refusals", "refusals_come_in_their_order"),
    ("decision-12-3", "bodies that are none", "a_body_that_is_missing_malformed_or_no_object_is_bad_input"),
    ("decision-12-4", "types of bodies", "content_types_that_name_json_are_taken"),
    ("decision-12-5", "nothing of a refused request stays", "nothing_of_a_refused_benefit_is_stored"),
    (
        "decision-15-1",
        "the first situation is a change, the same is none",
        "the_first_situation_and_every_change_are_one_entry_each",
    ),
    (
        "decision-17-1",
        "history without gaps, with eight at once",
        "eight_at_once_get_eight_codes_sequences_and_cards_and_a_history_without_gaps",
    ),
    ("decision-17-2", "a register's change is none", "a_trigger_says_what_was_so_when_it_happened"),
    ("decision-24-1", "by cursor, a hundred at a time", "the_feed_goes_on_from_a_cursor_a_hundred_at_a_time"),
    ("decision-24-2", "by entity", "the_feed_is_narrowed_by_entity"),
    (
        "decision-24-3",
        "in the caller's stores",
        "the_feed_shows_a_caller_his_stores_alone_and_every_role_may_read_it",
    ),
    (
        "decision-24-4",
        "nothing comes before what was shown",
        "whoever_follows_the_feed_while_eight_write_misses_nothing",
    ),
    (
        "trigger-1",
        "the envelope and the benefit's fields",
        "an_entry_carries_the_trigger_as_receivers_get_it",
    ),
    (
        "trigger-2",
        "kinds by their long names",
        "the_kinds_of_benefit_are_told_in_triggers_by_their_long_names",
    ),
    ("trigger-3", "byte for byte", "the_trigger_of_a_benefit_byte_for_byte"),
    ("decision-26-1", "changes are audited", "a_change_is_audited_with_who_what_and_whom"),
    (
        "decision-26-2",
        "what did not happen is not",
        "a_refused_change_and_one_that_changes_nothing_leave_no_entry",
    ),
    (
        "decision-26-3",
        "reads are, with whom they showed",
        "a_read_of_personal_data_is_audited_with_the_people_it_showed",
    ),
    (
        "decision-26-4",
        "by person, user, cursor",
        "entries_are_narrowed_by_person_and_by_user_and_go_on_from_a_cursor",
    ),
    (
        "decision-26-5",
        "for the administrator",
        "only_the_administrator_reads_the_audit_and_only_of_his_association",
    ),
];

/// These tests, file by file, and last those of the members' own file, whose rules stand here too.
const SOURCES: &[&str] = &[
    include_str!("additional_fields.rs"),
    include_str!("at_once.rs"),
    include_str!("audit.rs"),
    include_str!("benefit_change.rs"),
    include_str!("benefit_search.rs"),
    include_str!("benefit_write.rs"),
    include_str!("cancel.rs"),
    include_str!("cards.rs"),
    include_str!("combinations.rs"),
    include_str!("errors.rs"),
    include_str!("formats.rs"),
    include_str!("golden.rs"),
    include_str!("history.rs"),
    include_str!("list.rs"),
    include_str!("member.rs"),
    include_str!("member_search.rs"),
    include_str!("properties.rs"),
    include_str!("scope.rs"),
    include_str!("shapes.rs"),
    include_str!("situations.rs"),
    include_str!("vehicle.rs"),
    include_str!("../associado.rs"),
];

fn rules() -> impl Iterator<Item = &'static Rule> {
    [CONVENTIONS, MEMBERS, BENEFITS, BEHAVIOUR].into_iter().flatten()
}

/// The names of the tests that a file holds.
fn tests(source: &str) -> impl Iterator<Item = &str> {
    source.split("#[both_engines]\nasync fn ").skip(1).filter_map(|rest| rest.split('(').next())
}

#[test]
fn every_rule_has_its_test() {
    let bare: Vec<&Rule> = rules()
        .filter(|(_, _, test)| !SOURCES.iter().any(|source| tests(source).any(|name| name == *test)))
        .collect();
    assert!(bare.is_empty(), "rules without a test: {bare:#?}");
}

#[test]
fn every_test_of_the_contract_holds_a_rule() {
    let own = &SOURCES[..SOURCES.len() - 1];
    let idle: Vec<&str> = own
        .iter()
        .flat_map(|source| tests(source))
        .filter(|name| !rules().any(|(_, _, test)| test == name))
        .collect();
    assert!(idle.is_empty(), "tests that hold no rule: {idle:#?}");
}

#[test]
fn no_rule_is_told_twice() {
    let mut names: Vec<&str> = rules().map(|(name, _, _)| *name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
